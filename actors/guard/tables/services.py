"""Processes, services, users, the machine as a whole."""

ROWS = """
ps, pstree, top, htop, btop, pgrep, pidof, lsns, lslocks, acpi, last, lastb | run | -d: -n: -o: -p: -u: -s:
atop            | run | -w>
glances         | run | -w!network -s!network --export!outward -C! --config! -P!
pidstat         | run | -e!runs
lastlog         | run | -C!deletes --clear!deletes -S!overwrites --set!overwrites -u: -b: -t:
sensors         | run | -s!service --set!service -c<
kill            | ask kills | -l~ -L~ --list~ --table~ -0~ long
pkill, killall, killall5, skill, xkill | ask kills
fuser           | run | -k!kills --kill!kills
renice          | ask service
systemctl       | menu | -H!remote --host!remote -M!remote --machine!remote --root! --user --no-pager --all
    -a -t: --type: --state: -l --full -q --quiet -n: --lines: -o: --output: -p: --property: --failed --plain
    --no-legend --system --value closed
systemctl status, systemctl show, systemctl cat, systemctl is-active, systemctl is-enabled, systemctl
    is-failed, systemctl is-system-running, systemctl list-units, systemctl list-unit-files, systemctl
    list-timers, systemctl list-sockets, systemctl list-jobs, systemctl list-dependencies, systemctl
    list-automounts, systemctl get-default, systemctl help, systemctl show-environment, systemctl
    list-machines | run | -H!remote --host!remote -M!remote --machine!remote -t: -n: -p: -o: --no-pager
systemctl start, systemctl stop, systemctl restart, systemctl reload, systemctl enable, systemctl disable,
    systemctl mask, systemctl unmask, systemctl kill, systemctl daemon-reload, systemctl edit, systemctl
    set-default, systemctl isolate, systemctl reboot, systemctl poweroff, systemctl halt, systemctl suspend,
    systemctl hibernate, systemctl rescue, systemctl emergency, systemctl link, systemctl revert, systemctl
    set-property, systemctl set-environment, systemctl import-environment, systemctl reset-failed, systemctl
    try-restart, systemctl daemon-reexec, systemctl preset, systemctl clean, systemctl freeze, systemctl
    thaw, systemctl bind, systemctl kexec, systemctl switch-root, systemctl soft-reboot | ask service
service         | check service
journalctl      | run | --vacuum-size!deletes --vacuum-time!deletes --vacuum-files!deletes --rotate!service
    --flush!service --sync!service --relinquish-var!service --setup-keys!service --update-catalog!service
    -u: --unit: -n: --lines: -S: --since: -U: --until: -p: --priority: -o: --output: -t: -g: --grep:
    --cursor-file> -D< --directory< --file< --root!
systemd-analyze | menu
systemd-analyze time, systemd-analyze blame, systemd-analyze critical-chain, systemd-analyze plot,
    systemd-analyze dot, systemd-analyze dump, systemd-analyze cat-config, systemd-analyze verify,
    systemd-analyze security, systemd-analyze calendar, systemd-analyze timespan, systemd-analyze timestamp,
    systemd-analyze unit-paths, systemd-analyze exit-status, systemd-analyze syscall-filter, systemd-analyze
    capability | run
systemd-cgls, systemd-cgtop, systemd-path, systemd-detect-virt, systemd-id128 | run
loginctl, hostnamectl, timedatectl, localectl, machinectl, busctl, networkctl, coredumpctl, bootctl | menu |
    -H!remote --host!remote -M!remote --machine!remote --no-pager -l -a
loginctl list-sessions, loginctl list-users, loginctl show-session, loginctl session-status, hostnamectl
    status, timedatectl status, timedatectl show, localectl status, machinectl list, networkctl status,
    networkctl list, coredumpctl list, bootctl status, timedatectl list-timezones | run
launchctl       | menu
launchctl list, launchctl print, launchctl help | run
rc-service, rc-update, openrc, sv, svc, initctl, update-rc.d, chkconfig, insserv, runit, s6-svc | ask
    service | -l~ --list~
supervisorctl, monit | sub
pm2, forever | menu
supervisorctl status, supervisorctl version, pm2 list, pm2 ls, pm2 status, pm2 logs, pm2 info, pm2 show, pm2
    describe, pm2 jlist, forever list, monit status, monit summary | run
crontab         | ask cron | -l~ -u: | @
anacron, atd, cron, crond, fcron | ask cron
atq             | run
kafka-topics, kafka-consumer-groups, kafka-configs | ask service | --list~ --describe~ --bootstrap-server:
    --topic: --group: --zookeeper: --version~ long
auditctl        | ask service | -l~ -s~
nginx           | ask service | -v= -V= -t= -T=
apachectl, apache2ctl, httpd, apache2 | ask service | -v= -V= -t= -S= -M=
traefik, haproxy, redis-sentinel, minio | sub | -v=
caddy, rabbitmqctl, nats | menu
caddy version, caddy list-modules, caddy validate, caddy environ, traefik version, rabbitmqctl status,
    rabbitmqctl list_queues, rabbitmqctl list_users, rabbitmqctl list_exchanges, rabbitmqctl list_bindings,
    rabbitmqctl list_connections, rabbitmqctl cluster_status, rabbitmqctl version | run
atrm            | ask cron
shutdown, reboot, halt, poweroff, init, telinit, kexec | ask service
useradd, usermod, userdel, groupadd, groupmod, groupdel, adduser, addgroup, deluser, delgroup, passwd,
    chpasswd, chsh, chfn, chage, vipw, vigr, visudo, gpasswd, pwconv, newusers | ask privilege
mount           | none | -l -t: -v closed
umount, swapon, swapoff, losetup, mdadm, lvcreate, lvextend, vgcreate, pvcreate, fsck, e2fsck, resize2fs,
    tune2fs, dmsetup, zfs, zpool, btrfs, quota, edquota, hdparm, smartctl, nvme, eject | ask service
findmnt         | run
blkid           | run | -w> -c> -g!service
lvs, vgs, pvs | run | --config!
sysctl          | check sysctl | -w!service --write!service -p!service -f!service --load!service
    --system!service -a -n -N -e -q -r:
dmesg           | run | -c!deletes -C!deletes --clear!deletes --read-clear!deletes -D!service -E!service
    -n!service --console-off!service --console-on!service --console-level!service -l: -f: -H -T -w --level:
    --facility: --since: --until:
modprobe, insmod, rmmod, depmod, kmod, setenforce, grub-install, update-grub, update-initramfs, efibootmgr,
    dracut, mkinitcpio, locale-gen | ask service
sw_vers         | run
nvidia-smi      | none | -L -q -i: --query-gpu: --query-compute-apps: --format: -l: closed
xcode-select    | ask service | -p=
modinfo, sestatus, getenforce, aa-status | run
ldconfig        | ask service | -p~
xdg-open, open, gio, xdg-mime, xdg-settings, defaults, scutil, nvram, pmset, diskutil, csrutil, spctl,
    softwareupdate, installer, networksetup | ask service
notify-send, say, beep, logger, wall, write, mesg | ask service
xclip, xsel, pbcopy, pbpaste, wl-copy, wl-paste | ask outward
import, scrot, screencapture, ffmpeg, convert, magick, identify, gs, pdftk, exiftool | ask overwrites |
    -version~ --version~
ffprobe         | reads | long -o> -report!overwrites -version
mediainfo       | reads | --LogFile> --Output:
pdfinfo, soxi | reads
pdftotext       | writes | long -f: -l: -r: -x: -y: -W: -H: -enc: -eol: -opw: -upw:
placet          | menu
placet guard    | run
"""
