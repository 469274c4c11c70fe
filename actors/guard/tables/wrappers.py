"""Programs whose arguments are another command."""

ROWS = """
env             | check stop env | -u: --unset: -C% --chdir% -S: --split-string: -a: --argv0: -i - -0 -v
    --ignore-environment --null --debug --block-signal --default-signal --ignore-signal closed
sudo            | ask privilege check stop sudo | -u: -g: -p: -h: -r: -t: -C: -D: -R: -T: -U: -a: -c:
    --user: --group: --prompt: --host: --chdir: --chroot: --role: --type: --close-from: --other-user: -s!
    -i! -e! --shell! --login! --edit!
doas            | wrap 0 privilege | -u: -C: -a: -s!
su              | ask privilege check su | -c: --command: -s: --shell: -g: -G: --session-command:
runuser         | ask privilege check su | -c: --command: -s: --shell: -u: -g: -G: --session-command:
pkexec          | wrap 0 privilege | --user:
gosu, su-exec | wrap 1 privilege
sg, newgrp | ask privilege
nohup, chronic, unbuffer, setsid, catchsegv, eatmydata | wrap
caffeinate      | wrap | -t: -w:
systemd-cat     | wrap | -t: --identifier: -p: --priority: --stderr-priority: --level-prefix:
time            | wrap | -f: --format: -o> --output> -a
timeout, gtimeout | wrap 1 | -s: --signal: -k: --kill-after:
nice            | wrap | -n: --adjustment:
ionice          | wrap | -c: -n: -p!service -P!service -u!service --class: --classdata: --pid!service
chrt            | wrap 1 | -p!service --pid!service -T: -P: -D:
taskset         | wrap 1 | -p!service --pid!service
stdbuf          | wrap | -i: -o: -e: --input: --output: --error:
numactl         | wrap | -N: -m: -C: -i: -p: --cpunodebind: --membind: --physcpubind:
cpulimit        | wrap | -l: -p!service -e!service
prlimit         | wrap | -p!service --pid!service
firejail, bwrap, unshare, nsenter, setpriv, capsh, systemd-run, systemd-nspawn, fakeroot, proot | ask runs
    check stop opaque
strace, ltrace | wrap | -o> --output> -e: --trace: -p!interactive -s: -u!privilege -E: -P: -S: -I: -O: -a:
    -X: -b:
perf            | ask runs check stop opaque
valgrind        | wrap | --log-file> --xml-file> --massif-out-file> --callgrind-out-file>
    --cachegrind-out-file> --db-command!runs --suppressions<
gdb, lldb | ask runs_code | | @
script          | check script | -c: --command: -T> --log-timing> -I> --log-in> -O> --log-out> -B> --log-io>
    -m: -E: -o:
flock           | check stop flock | -w: --timeout: -E: --conflict-exit-code: -c: --command:
watch           | shell | -n: --interval: -d -x
hyperfine       | ask runs check stop opaque
entr            | wrap
parallel        | check stop parallel | -j: --jobs: -k --keep-order -n: -N: --bar --dry-run --dryrun -q
    --quote -v -t --verbose -u --ungroup --tag --line-buffer --lb --halt: --eta --progress --no-notice
    --will-cite -0 --null closed
xargs, gxargs | check stop xargs | -I: -i? -J: -n: -P: -L: -l? -s: -d: -E: -e? -a< -0 -r -t -p -x --replace:
    --max-args: --max-procs: --max-lines: --max-chars: --delimiter: --arg-file< --null --no-run-if-empty
    --verbose --interactive --exit --open-tty -o --eof? closed
find, gfind | check find
busybox, toybox | wrap | --install!program_naming
ifne, pee | ask runs check stop opaque
sponge          | writes
tmux            | menu | -L: -S! -f! -c$
tmux ls, tmux list-sessions, tmux list-windows, tmux list-panes, tmux list-clients, tmux list-keys, tmux
    info | run | -F!runs
screen          | ask runs | -ls~ -list~ -v~ long
dbus-run-session, dbus-launch, xvfb-run | ask runs check stop opaque
expect          | ask runs_code | | @
at              | ask runs | -l~ -c~ -V=
batch           | ask runs
run-parts       | ask runs_code | --test~ --list~ -a: -v | @
rlwrap          | wrap | -f< -H> -l> -z!runs -a? -b: -C: -D: -g: -M: -O: -P: -q: -s: -S: -t:
direnv          | ask runs_code | | .envrc
dotenv          | ask runs check stop opaque
"""
