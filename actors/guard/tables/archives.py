"""Archives: listing runs, packing into the working directory runs, unpacking writes what the archive says and asks."""

ROWS = """
tar, gtar, bsdtar | check tar
zip             | check zip | -O> --out> --output-file> -lf> --logfile-path> -b> --temp-path>
unzip, zipinfo | check unzip
7z, 7za, 7zr | check seven_zip
gzip, bzip2, xz, zstd, lz4, lzma, brotli, pigz, pbzip2, gunzip, bunzip2, unxz, unzstd, unlz4, lzip | check
    compress | -S: --suffix: -o> --output> -T: --threads: -D< --files< --output-dir-flat>
    --output-dir-mirror>
zcat, bzcat, xzcat, zstdcat, lzcat, gzcat, zdiff, zcmp, bzdiff, funzip, rpm2cpio | reads
cpio            | ask overwrites | -t~ --list~ -i --extract -v -F: -c -I: --quiet
unsquashfs      | ask overwrites | -l~ -ll~ -s~ long
dpkg-deb        | ask overwrites | -c~ --contents~ -I~ --info~ -f~ --field~ -W~ --show~
ar, unrar, rar, lha, arj | check listing
pax, unar, makeself, p7zip | ask overwrites
cabextract      | ask overwrites | -l~ --list~ -t~ --test~
shar            | reads | -o> --output-prefix>
asar            | menu
asar list, asar l | run
lsar            | reads
jar             | check jar
zipgrep         | pattern
zipnote         | reads | -w!overwrites
zipsplit        | ask overwrites | -t~
"""
