#!/bin/sh
# check.sh SCRIPT COMMAND...: let a client talk to live-fixture, and fail unless it keeps the protocol.
# The client finds the address of the sessions in LIVE_URL. RECORD names the file of what it did.
set -eu
script=$1
shift
urls=$(mktemp)
live-fixture --script "$script" --sessions 1 --timeout-seconds 60 \
  --record "${RECORD:-record.jsonl}" >"$urls" &
fixture=$!
trap 'kill "$fixture" 2>/dev/null || true; rm -f "$urls"' EXIT
while [ "$(wc -l <"$urls")" -lt 2 ]; do
  kill -0 "$fixture"
  sleep 0.1
done
client=0
LIVE_URL=$(sed -n 1p "$urls") OPENAI_API_KEY=any-key-will-do "$@" || client=$?
[ "$client" -eq 0 ] || kill "$fixture"
fixture_status=0
wait "$fixture" || fixture_status=$?
[ "$client" -eq 0 ] && [ "$fixture_status" -eq 0 ]
