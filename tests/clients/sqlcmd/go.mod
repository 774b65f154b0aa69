// Builds sqlcmd at a fixed version (see ../setup.sh).
module taffrail/tests/clients/sqlcmd

go 1.25.7

require github.com/microsoft/go-sqlcmd v1.10.0
