"""Searching, filtering and rewriting text."""

ROWS = """
grep, egrep, fgrep, zgrep, bzgrep, xzgrep | pattern | -e: --regexp: -f< --file< -A: -B: -C: -m: --max-count:
    --include: --exclude: --exclude-dir: --exclude-from< --color: -d: -D: --label:
rg              | pattern | --pre$ --hostname-bin$ -e: --regexp: -f< --file< -g: --glob: --iglob: -t: -T:
    --type: --type-not: --type-add: -A: -B: -C: -m: --max-count: -j: -M: --max-depth: --sort: --sortr: -r:
    --replace: -E: --encoding: --pre-glob: --ignore-file< --color: --colors: --context-separator: --engine:
    --files~ --type-list~
ag              | pattern | --pager$ -G: -A: -B: -C: -m: --ignore: --ignore-dir: -p<
ack             | pattern | --pager$ --ackrc! --output!runs -A: -B: -C: -m: --type: -g: -G: --ignore-dir:
    --ignore-file: --color: --match: --range-start: --range-end: --dump -x: --files-from<
fd, fdfind      | check fd | -x!runs --exec!runs -X!runs --exec-batch!runs -e: -t: -d: -E: --extension:
    --type: --max-depth: --exclude: -j: --base-directory%
fzf             | ask interactive
sed, gsed       | check sed | -e: --expression: -f< --file< -l: -i? --in-place? -E -r -n -s -u -z --quiet
    --silent --regexp-extended --posix --debug --sandbox --null-data --separate --unbuffered --line-length:
    closed
awk, gawk, mawk, nawk | check awk | -F: -v: -f< --file< --field-separator: --assign: -e: --source: -i!
    --include! -l! --load! -E! --exec! -o> --pretty-print> -p> --profile> -d> --dump-variables> -D!
jq, gojq, jaq   | pattern | -f< --from-file< -L< --arg: --indent: --argjson: --slurpfile: --rawfile: -n -r
yq              | check yq | -i --inplace -I: -o: -p:
xmllint         | reads | --output> -o> --xpath: --format --schema< --shell!interactive --noout
xsltproc        | ask outward
csvcut, csvgrep, csvlook, csvstat, csvjson, in2csv, csvsort | reads | -c: -d: -m: -r: -f<
csvsql          | ask database
iconv           | reads | -o> --output> -f: -t: --from-code: --to-code:
dos2unix, unix2dos | writes
look | run
wdiff           | reads
patch           | ask overwrites | --dry-run~ | @
envsubst        | run
md5, shasum     | reads | -a:
tldr, cheat     | run
bc, dc          | check calculator | -e:
bat, batcat     | reads | --pager$ -l: -r: --theme: --style: --line-range: --language: --paging: --color:
    --decorations:
glow, mdcat, pygmentize | reads | -l: -f: -o> -O: -p!interactive
tokei, cloc, scc, loc | reads | --exclude-dir: --include-lang: --exclude: --not-match-f: --config!
    --lang-def< --read-lang-def< --report-file> --out> -o> --output!flag
delta, difft    | reads | --pager$
hexyl, jless, gron, fx | reads | -n:
"""
