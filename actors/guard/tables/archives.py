"""Archives: listing runs, packing into the working directory runs, unpacking writes what the archive says and asks."""

ROWS = """
tar, gtar, bsdtar | check tar
zip             | check zip
unzip, zipinfo  | check unzip
7z, 7za, 7zr, p7zip | check seven_zip
gzip, bzip2, xz, zstd, lz4, lzma, brotli, pigz, pbzip2, gunzip, bunzip2, unxz, unzstd, unlz4, lzip | check
    compress | -S: --suffix: -o> --output> -T: --threads: -D< --files<
zcat, bzcat, xzcat, zstdcat, lzcat, gzcat, zdiff, zcmp, bzdiff | reads
cpio, pax, shar, unar, rar, unrar, arj, lha, cabextract, makeself, ar, dpkg-deb, rpm2cpio, asar | ask
    overwrites | --version~
lsar            | reads
jar             | check jar
zipgrep         | pattern
zipnote, zipsplit, funzip | ask overwrites
"""
