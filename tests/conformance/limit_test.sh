#!/bin/sh
# SPDX-License-Identifier: MIT
# limit_test.sh KIT - a part of a clause (LF-7's) that takes three seconds to begin: it is in time where a clause has the
# usual 25 s, and is not where --limit leaves it two of five.
set -eu
kit=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cat >"$folder/launcher" <<'EOF'
#!/bin/sh
case " $* " in *" --part "*) sleep 3 ;; esac
exec "$@"
EOF
chmod +x "$folder/launcher"

# said STATUS TEXT ARGUMENT... - the kit ends with the status, and says the text.
said() {
    expected=$1
    text=$2
    shift 2
    status=0
    "$kit" --clause=LF-7 --launcher="$folder/launcher" "$@" >"$folder/said" || status=$?
    [ "$status" = "$expected" ] && grep -q "$text" "$folder/said" && return
    cat "$folder/said"
    echo "FAILED: $*: exit status $status, expected $expected and \"$text\""
    exit 1
}

said 0 "1 passed, 0 failed, 0 crashed, 0 hung"
said 1 "0 passed, 1 failed, 0 crashed, 0 hung" --limit=5
