"""Archives: listing runs, packing into the working directory runs, unpacking writes what the archive says and asks."""

ROWS = """
tar, gtar, bsdtar | check tar
zip             | check zip
unzip, zipinfo  | check unzip
7z, 7za, 7zr, p7zip | check seven_zip
gzip, bzip2, xz, zstd, lz4, lzma, brotli, pigz, pbzip2, gunzip, bunzip2, unxz, unzstd, unlz4, lzip | check
    compress | -S: --suffix: -o> --output> -T: --threads: -D< --files<
zcat, bzcat, xzcat, zstdcat, lzcat, gzcat, zdiff, zcmp, bzdiff | reads
cpio            | ask overwrites | -t~ --list~ -v -F: -c -I: --quiet
unsquashfs      | ask overwrites | -l~ -ll~ -s~ long
dpkg-deb        | ask overwrites | -c~ --contents~ -I~ --info~ -f~ --field~ -W~ --show~
ar, unrar, rar, lha, arj | check listing
pax, shar, unar, cabextract, makeself, rpm2cpio, asar | ask overwrites | --version~
lsar            | reads
jar             | check jar
zipgrep         | pattern
zipnote, zipsplit, funzip | ask overwrites
"""
