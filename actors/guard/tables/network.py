"""Programs that talk to other machines. Fetching runs, if what goes out is known and no secret; sending asks."""

ROWS = """
curl            | check curl | -o> --output> -O -D> --dump-header> -c> --cookie-jar> --output-dir>
    --create-dirs --remote-name --remote-name-all -J -H: --header: -A: --user-agent: -e: --referer: -X:
    --request: -m: --max-time: --connect-timeout: --retry: --retry-delay: --retry-max-time: -r: --range: -w:
    --write-out: -L --location -s --silent -S --show-error -f --fail --fail-with-body -v --verbose -i
    --include -I --head -k --insecure -g --globoff -4 -6 --ipv4 --ipv6 --compressed -q --disable -N
    --no-buffer -# --progress-bar --http1.0 --http1.1 --http2 --http3 --tlsv1.2 --tlsv1.3 -R --remote-time
    -C: --continue-at: --max-filesize: --limit-rate: -y: -Y: --max-redirs: --resolve: --connect-to: --url:
    -Z --parallel --parallel-max: --no-progress-meter --proto: --proto-redir: --retry-connrefused
    --retry-all-errors -V~ --version~ -h --help -G -j -n!secret --netrc!secret --netrc-file!secret
    -u!outward --user!outward -b!outward --cookie!outward -d!outward --data!outward --data-raw!outward
    --data-binary!outward --data-urlencode!outward --data-ascii!outward --json!outward -F!outward
    --form!outward --form-string!outward -T!outward --upload-file!outward -K!flag --config!flag -x!network
    --proxy!network -E!secret --cert!secret --key!secret -Q!outward --quote!outward -P!network
    --unix-socket!service --abstract-unix-socket!service --oauth2-bearer!outward --location-trusted!outward
    --trace> --trace-ascii> --stderr> --libcurl> --cacert< --etag-save> --etag-compare< --hsts> --alt-svc>
    --engine! closed
wget            | check wget | -O> --output-document> -o> --output-file> -a> --append-output> -P>
    --directory-prefix> -q -nv -nc -N -c -S -v --quiet --no-verbose --no-clobber --continue --spider
    --show-progress -T: --timeout: -t: --tries: -U: --user-agent: --header: -w: --wait: --limit-rate:
    --no-check-certificate -4 -6 --progress: --content-disposition!unknown_target --max-redirect:
    --read-timeout: --connect-timeout: --dns-timeout: -x -nd --version -V --help -nH --random-wait
    --no-cache -E -r -l: --level: -np --no-parent -k -p -m --mirror -A: -R: -D: --accept: --reject: closed
http, https, xh | check httpie
httpie          | menu
aria2c, axel, lynx, w3m, links, elinks, yt-dlp, youtube-dl | ask outward
ping, ping6, traceroute, tracepath, traceroute6, mtr, dig, host, nslookup, drill, whois, arping, fping |
    check lookup | -f!outward --file!outward
ssh-keyscan     | check lookup | -f!outward
ss              | run | -K!kills --kill!kills -D> --diag> -F< --filter<
lsof            | run | -D!overwrites
netstat         | run
arp             | none | -d!network -s!network -f!network -a -n -e -v
route           | none | -n -e -v
ifconfig, iwconfig | check ifconfig | -a -s
ip              | check ip | -f: -n: -b!network -batch!network -d -s -j -p -o -4 -6 -c -br -brief -json
    -details -stats -color -all long
nft             | menu | -f!network --file!network -a -n -j
nft list        | run
iptables, ip6tables, firewall-cmd, ebtables | ask network | -L~ --list~ -S~ --list-rules~ -t: -n -v -x
    --line-numbers --state~ --list-all~ --get-default-zone~ --list-ports~ --list-services~
tcpdump, tshark, wireshark, nmap, masscan, socat, telnet, ftp, tftp, lftp, ngrok, cloudflared, localtunnel,
    ssh-copy-id, wg-quick, openvpn, hping3, nikto, sqlmap, hydra | ask network
mail, mailx, sendmail, mutt, swaks, msmtp, s-nail | ask outward
openssl         | check openssl
gpg, gpg2 | ask secret | --version~ --list-keys~ -k~ --verify~ --fingerprint~ --list-sigs~
age, sops, op, pass, bw, lpass, keyctl, secret-tool, security | ask secret
iperf, iperf3, ab, wrk, hey, siege, vegeta, k6 | ask network
nmcli           | menu | -t --terse -f: --fields: -p --pretty -c: --colors: -m: --mode: -g: --get-values:
    -e: -a!secret --ask!secret -s!secret --show-secrets!secret
nmcli device, nmcli dev, nmcli d, nmcli connection, nmcli con, nmcli c, nmcli general, nmcli radio, nmcli
    networking, nmcli g | menu
nmcli device status, nmcli device show, nmcli dev status, nmcli dev show, nmcli device list, nmcli
    connection show, nmcli con show, nmcli c show, nmcli general status, nmcli general permissions, nmcli
    general hostname-show, nmcli networking connectivity | run
resolvectl      | menu
resolvectl status, resolvectl query, resolvectl statistics, resolvectl service | run
tc, ethtool | check shows_only
nc, ncat, netcat | ask network | -z~ -v -w: -u -n -4 -6
tailscale, wg, ufw | menu
wg show, wg show * | menu
wg show * endpoints, wg show * allowed-ips, wg show * latest-handshakes, wg show * transfer, wg show *
    peers, wg show * public-key, wg show * listen-port | run
tailscale status, tailscale ip, tailscale version, tailscale netcheck, ufw status, ufw version | run
websocat, grpcurl, wscat, mosquitto_pub, mosquitto_sub, kafka-console-producer, kcat | ask outward
jwt             | ask secret
"""
