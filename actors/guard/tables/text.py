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
fd, fdfind | check fd | -x!runs --exec!runs -X!runs --exec-batch!runs -e: -t: -d: -E: --extension: --type:
    --max-depth: --exclude: -j: --base-directory%
fzf             | ask interactive
sed, gsed | check sed | -e: --expression: -f< --file< -l: -i? --in-place? -E -r -n -s -u -z --quiet --silent
    --regexp-extended --posix --debug --sandbox --null-data --separate --unbuffered --line-length: closed
awk, gawk, mawk, nawk | check awk | -F: -v: -f< --file< --field-separator: --assign: -e: --source: -i!
    --include! -l! --load! -E! --exec! -o> --pretty-print> -p> --profile> -d> --dump-variables> -D!
    -W:!runs_code
jq, gojq, jaq | pattern | -f< --from-file< -L< --arg: --indent: --argjson: --slurpfile: --rawfile: -n -r
    -i!overwrites --in-place!overwrites
yq              | check yq | -i --inplace -s!overwrites --split-exp!overwrites
    --security-enable-system-operator!runs -I: -o: -p:
xmllint         | reads | --output> -o> --xpath: --format --schema< --shell!interactive --noout
xsltproc        | ask outward
csvcut, csvgrep, csvlook, csvstat, csvjson, in2csv, csvsort | reads | -c: -d: -m: -r: -f<
csvsql          | ask database
iconv           | reads | -o> --output> -f: -t: --from-code: --to-code:
dos2unix, unix2dos | writes
look            | pattern
wdiff           | reads
patch           | ask overwrites | --dry-run~ -p: -i< --input< -d% --directory% -s -R -N -E -u -l | @
envsubst        | run
md5, shasum | reads | -a:
tldr            | run
cheat           | run | -e!interactive --edit!interactive --rm!deletes --update!installs
bc, dc | check calculator | -e:
bat, batcat | reads | --pager$ -l: -r: --theme: --style: --line-range: --language: --paging: --color:
    --decorations:
glow, mdcat | reads | -l: -p!interactive
pygmentize      | reads | -l: -f: -o> -O: -P: -F: -S: -a: -s -g -x!runs_code --load-from-file!runs_code
tokei, cloc, scc, loc | reads | --exclude-dir: --include-lang: --exclude: --not-match-f: --config!
    --lang-def< --read-lang-def< --report-file> --out> --sql> --ignored> --counted> --found> --categorized>
    --write-lang-def> --extract-with!runs --format-multi!overwrites -o> --output!flag
delta, difft | reads | --pager$ --config!flag
hexyl, jless, gron, fx | reads | -n:
"""
