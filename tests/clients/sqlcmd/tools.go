//go:build tools

package tools

import _ "github.com/microsoft/go-sqlcmd/cmd/modern"
