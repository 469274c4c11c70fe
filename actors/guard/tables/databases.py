"""Database clients: a plain question runs, anything else asks."""

ROWS = """
psql            | check sql | -c: --command: -f! --file! -l~ --list~ -d: --dbname: -h: --host: -p: --port:
    -U: --username: -v: --set: --variable: -P: --pset: -F: -R: -o> --output> -L> --log-file> -A -t -x -q -X
    -w -W -E -e -a -b -n -s!interactive -1 -S -z -0 --csv --html --no-psqlrc --tuples-only --no-align
    --expanded --quiet --no-password closed
mysql, mariadb | check sql | -e: --execute: -D: --database: -h: --host: -P: --port: -u: --user: -p -N -B -s
    -t -E -r -S: --socket: --batch --silent --table --skip-column-names --raw --vertical --defaults-file!
    --defaults-extra-file! --init-command! --pager! --tee> --login-path: --protocol: --ssl-mode:
    --default-character-set: -A --no-auto-rehash closed
sqlite3         | check sqlite | -header -csv -json -column -line -list -html -markdown -table -box -quote
    -tabs -readonly -batch -separator: -nullvalue: -newline: -noheader -cmd! -init! -version= --version=
    -help= long closed
duckdb, clickhouse, clickhouse-client, cqlsh, sqlcmd, sqlplus, usql, litecli, pgcli, mycli, mongo, mongosh,
    cypher-shell, neo4j-admin, snowsql, isql, tsql, hive, beeline, impala-shell, trino, spark-sql | ask
    database | --version~ | @
redis-cli, valkey-cli | check redis | -h: -p: -a!secret -n: -u: --user: --pass!secret --raw --no-raw --csv
    --json --stat~ --latency~ --bigkeys~ --memkeys~ --scan~ --pattern: -i: --tls --no-auth-warning --eval!
    --pipe! --rdb! --cluster! -x! -r: -s: closed
etcdctl         | menu | --endpoints: --user!secret
etcdctl get, etcdctl version, etcdctl member | run
pg_isready, pg_config | run
mariadb-admin   | as mysqladmin
mysqladmin      | menu | -h: -u: -p -P: --host: --user: --port: -S: --socket:
mysqladmin ping, mysqladmin status, mysqladmin version, mysqladmin variables, mysqladmin processlist,
    mysqladmin extended-status | run
mongod, mysqld, mariadbd, postgres, redis-server, influxd | ask database | --version= -V= -v=
influx          | sub
influx version, influx ping | run
pg_dump, pg_dumpall, mysqldump, mariadb-dump, mongodump, mongoexport | ask database
createdb, dropdb, createuser, dropuser, pg_restore, pg_ctl, pg_basebackup, initdb, vacuumdb, reindexdb,
    clusterdb, mysqlimport, mongorestore, mongoimport, mysqlbinlog, mysqlcheck, pg_ctlcluster | ask database
flyway          | menu
liquibase       | menu | shared --classpath!runs --driver!runs --defaults-file!
flyway info, flyway validate, flyway version, liquibase status, liquibase history | run
prisma, sequelize, knex, typeorm, dbmate, goose, migrate, drizzle-kit, sqlx, diesel | ask database
"""
