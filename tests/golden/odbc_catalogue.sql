-- What ODBC, JDBC and ADO.NET drivers ask of types, parameters, rights and collations.
--@ source: peer babelfish
EXEC sp_datatype_info_100 0, 3
GO
--@ source: peer babelfish
EXEC sp_datatype_info
GO
--@ source: peer babelfish
-- the first of a number is the one that drivers take
EXEC sp_datatype_info_100 @data_type = -9, @ODBCVer = 3
EXEC sp_datatype_info_90 @data_type = -152
EXEC sp_datatype_info @data_type = -4
EXEC sp_datatype_info_100 12
EXEC sp_datatype_info_100 4
EXEC sp_datatype_info_100 77
GO
--@ source: documentation sp_columns
CREATE TABLE dbo.odbc_types (id int NOT NULL IDENTITY PRIMARY KEY, tx text NULL, nt ntext NULL, im image NULL, x xml NULL,
    d date NULL, u varchar(10) COLLATE Latin1_General_BIN2 NULL)
EXEC sp_columns_100 'odbc_types', @ODBCVer = 3
EXEC sp_columns_90 'odbc_types', @column_name = 'x'
EXEC sp_columns 'odbc_types', @column_name = 'd', @ODBCVer = 3
GO
--@ source: documentation sp_special_columns
CREATE TABLE dbo.odbc_keys (a int NULL, b int NOT NULL, c int NOT NULL)
CREATE UNIQUE INDEX i1 ON dbo.odbc_keys (a)
EXEC sp_special_columns_100 'odbc_keys'
EXEC sp_special_columns_100 'odbc_keys', @nullable = 'O'
CREATE UNIQUE INDEX i2 ON dbo.odbc_keys (b, c)
EXEC sp_special_columns_100 'odbc_keys', @nullable = 'O', @ODBCVer = 3
EXEC sp_special_columns_90 'odbc_keys', @col_type = 'V'
GO
--@ source: reasoned
CREATE PROCEDURE dbo.odbc_par @a int, @b nvarchar(20) = N'x', @c decimal(9,2) OUTPUT, @d varbinary(max), @e datetime2(3) AS RETURN 0
GO
--@ source: documentation sp_sproc_columns
EXEC sp_sproc_columns 'odbc_par'
EXEC sp_sproc_columns_90 @procedure_name = 'odbc_par;1', @column_name = '@a'
EXEC sp_sproc_columns_100 'odbc[_]p%', @procedure_owner = 'dbo', @column_name = '@e', @ODBCVer = 3
GO
--@ source: documentation SqlCommandBuilder.DeriveParameters
EXEC sp_procedure_params_100_managed 'odbc_par', 1, 'dbo'
EXEC sp_procedure_params_managed 'odbc_par', @parameter_name = '@b'
EXEC sp_procedure_params_rowset 'odbc_par', 1, NULL
GO
--@ source: documentation sp_table_privileges
EXEC sp_table_privileges 'odbc_keys'
EXEC sp_column_privileges 'odbc_keys', @column_name = 'a'
EXEC sp_tableswc 'odbc_keys', 'dbo', NULL, NULL, 1
GO
--@ source: peer babelfish
EXEC sp_tablecollations_100 N'.[dbo].[odbc_types]'
EXEC sp_tablecollations_90 N'odbc_types'
EXEC sp_tablecollations N'nope'
GO
--@ source: documentation sp_columns_ex
DECLARE @server sysname = @@SERVERNAME
EXEC sp_columns_ex @server, 'odbc_keys'
GO
--@ source: message 7202
EXEC sp_columns_ex 'elsewhere', 'odbc_keys'
GO
--@ source: reasoned
DROP PROCEDURE dbo.odbc_par
DROP TABLE dbo.odbc_types, dbo.odbc_keys
GO
