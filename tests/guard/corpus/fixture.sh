# The small world in which the corpus lines run: a workspace under git, a home, an /etc, a /var and a remote.
# Everything that a line may start (p.sh, x.py, the makefile, ...) removes victim/, so that a program that ran is seen.
set -eu
export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'

mkdir -p ~/.ssh ~/.aws ~/.config/systemd/user ~/.config/autostart ~/.kube ~/documents ~/bin
echo '# bash' | tee ~/.bashrc ~/.bash_profile ~/.profile ~/.zshrc >/dev/null
echo 'ssh-ed25519 AAAA owner' >~/.ssh/authorized_keys
echo 'not a real key' >~/.ssh/id_rsa
echo 'Host *' >~/.ssh/config
echo '[default]' >~/.aws/credentials
echo 'machine example.org login me password none' >~/.netrc
echo 'one copy only' >~/documents/thesis.txt
git config --global user.name Dev
git config --global user.email dev@example.org
git config --global init.defaultBranch main
git config --global advice.detachedHead false

mkdir -p /etc/ssh /etc/cron.d /etc/systemd/system /etc/profile.d /etc/sudoers.d /var/spool/cron/crontabs /var/log
printf 'root:x:0:0:root:/root:/bin/bash\ndev:x:1000:1000::/home/dev:/bin/bash\n' >/etc/passwd
printf 'root:x:0:\ndev:x:1000:\n' >/etc/group
echo '127.0.0.1 localhost' >/etc/hosts
echo 'PermitRootLogin no' >/etc/ssh/sshd_config
echo '# profile' >/etc/profile
echo 'passwd: files' >/etc/nsswitch.conf
echo 'all quiet' >/var/log/syslog

cd /work
git init -q .
rm -f .git/hooks/*.sample
mkdir src tests lib docs
printf 'def main():\n    return 1  # TODO rm -rf this\n' >src/main.py
printf 'def helper():\n    return 2\n' >src/util.py
printf 'console.log(1)\n' >src/app.js
printf 'def test_main():\n    assert True is not False\n' >tests/test_main.py
printf 'tracked library\n' >lib/code.txt
printf '# Guide\n\nNever run rm -rf by hand.\n' >docs/guide.md
printf '# Project\n\nfoo and bar\n' >README.md
printf 'one\ntwo\nthree\n' >a.txt
printf 'two\nthree\nfour\n' >b.txt
printf '*.log\n' >.gitignore
printf 'all:\n\t@rm -rf victim\ntest: all\nclean: all\n' >Makefile
printf '{"name": "demo", "version": "1.0.0", "scripts": {"test": "rm -rf victim", "build": "rm -rf victim", "postinstall": "rm -rf victim"}}\n' >package.json
git add -A && git commit -qm 'first'
printf 'def main():\n    return 3  # TODO rm -rf this\n' >src/main.py
git commit -qam 'second'
git tag v1
git init -q --bare /srv/origin.git && rm -f /srv/origin.git/hooks/*.sample
git remote add origin /srv/origin.git
git branch release
git branch side
git checkout -q -b topic
echo topic >topic.txt && git add topic.txt && git commit -qm 'topic'
git checkout -q main
git push -q origin main topic release v1
echo 'only here' >local.txt && git add local.txt && git commit -qm 'third, local'
git branch -q --set-upstream-to=origin/main
echo stashed >>b.txt && git stash push -q
echo uncommitted >>a.txt
echo staged >staged.txt && git add staged.txt
git worktree add -q wt side
git repack -adq && git -C /srv/origin.git repack -adq
echo lost | git hash-object -w --stdin >/dev/null

mkdir victim empty
printf x >victim/f
for i in 1 2 3 4 5 6 7 8 9; do echo "line $i: rm -rf is only text here"; done >big
printf 'out\n' >out.txt
printf '# Notes\n' >notes.md
printf '{"name": "demo", "items": [{"id": 1, "tag": "a"}, {"id": 2, "tag": "b"}]}\n' >data.json
printf 'name,size\nx,3\ny,1\n' >data.csv
printf '2026-01-01 INFO start\n2026-01-01 ERROR broken\n' >app.log
printf 'ssh-ed25519 AAAA me\n' >key
printf '* * * * * root true\n' >job
printf 'echo evil\n' >evil
printf 'API_TOKEN=none\n' >.env
printf './victim\n' >list.txt
printf 'rm -rf victim\n' | tee s.sh commands.txt >/dev/null
printf '#!/bin/sh\nrm -rf /work/victim\n' >p.sh
printf 'import shutil\nshutil.rmtree("/work/victim")\n' >x.py
printf 'int main(void) { return 0; }\n' >x.c
printf 'system("rm -rf victim");\n' >x.pl
printf 'require("child_process").execSync("rm -rf victim")\n' >x.js
printf 'BEGIN { system("rm -rf victim") }\n' >x.awk
printf '1e rm -rf victim\n' >x.sed
printf 'exec rm -rf victim\n' >x.tcl
printf '.shell rm -rf victim\n' >x.sql
printf '!rm -rf victim\n' >x.ed
printf 'call system("rm -rf victim")\nqa!\n' >x.vim
printf -- '--- a/src/util.py\n+++ b/src/util.py\n@@ -1,2 +1,2 @@\n def helper():\n-    return 2\n+    return 9\n' >fix.patch
chmod +x p.sh s.sh
mkdir stage && echo replaced >stage/a.txt && echo job >stage/job
tar -cf a.tar -C stage a.txt job
rm -r stage
ln -s /etc etc-link
ln -s ~/.ssh ssh-link
ln -s ~/.bashrc rc-link
