-- Scopes: of variables, identity values, temporary tables, parameters and SET options.
--@ source: reasoned
CREATE DATABASE ChangesScopes
GO
--@ source: reasoned
USE ChangesScopes
GO
--@ source: documentation DECLARE @local_variable
DECLARE @i int = 0
WHILE @i < 3
BEGIN
  DECLARE @x int
  DECLARE @y int = 10
  SET @x = ISNULL(@x, 0) + 1
  SET @y += 1
  PRINT CONCAT(@x, ' ', @y)
  SET @i += 1
END
GO
--@ source: reasoned
CREATE TABLE t (a int IDENTITY, b int)
CREATE TABLE src (b int)
INSERT src VALUES (5), (6)
GO
--@ source: documentation SCOPE_IDENTITY
INSERT t (b) EXEC ('SELECT b FROM src')
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i, @@ROWCOUNT AS r
GO
--@ source: documentation SCOPE_IDENTITY
MERGE t USING src ON t.b = src.b + 1 WHEN NOT MATCHED THEN INSERT (b) VALUES (src.b) WHEN MATCHED THEN UPDATE SET b = t.b;
SELECT SCOPE_IDENTITY() AS s
GO
--@ source: documentation IDENTITY (Function)
INSERT t OUTPUT inserted.a VALUES (1), (2)
SELECT b, IDENTITY(int, 7, 3) AS n INTO t2 FROM src
SELECT * FROM t2 ORDER BY n
SELECT @@IDENTITY AS i, SCOPE_IDENTITY() AS s, IDENT_CURRENT('t2') AS c
DROP TABLE t2
GO
--@ source: documentation SET IDENTITY_INSERT
SET IDENTITY_INSERT t ON
INSERT t (a, b) SELECT 1000, 1
MERGE t USING (VALUES (2000)) AS s(k) ON t.a = s.k WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.k, 0);
SET IDENTITY_INSERT t OFF
INSERT t VALUES (0)
SELECT SCOPE_IDENTITY() AS s
GO
--@ source: documentation table (Transact-SQL)
BEGIN TRAN
DECLARE @v TABLE (i int IDENTITY, x int)
INSERT @v (x) VALUES (1)
ROLLBACK
INSERT @v (x) VALUES (2)
SELECT * FROM @v
GO
--@ source: documentation CREATE TABLE
CREATE PROCEDURE rec @n int AS
DECLARE @t TABLE (n int)
INSERT @t VALUES (@n)
CREATE TABLE #r (n int)
INSERT #r VALUES (@n * 10)
IF @n < 3 BEGIN DECLARE @m int = @n + 1 EXEC rec @m END
SELECT (SELECT MAX(n) FROM @t) AS t, (SELECT MAX(n) FROM #r) AS r
GO
--@ source: documentation CREATE TABLE
EXEC rec 1
GO
--@ source: documentation CREATE TABLE
CREATE PROCEDURE deferred AS
SELECT * INTO #z FROM src
SELECT b FROM #z ORDER BY b
EXEC ('ALTER TABLE #z ADD c int')
SELECT b, c FROM #z ORDER BY b
DROP TABLE #z
CREATE TABLE later (q int)
INSERT later VALUES (1)
SELECT q FROM later
DROP TABLE later
GO
--@ source: documentation CREATE TABLE
EXEC deferred
EXEC deferred
GO
--@ source: documentation CREATE TABLE
CREATE TABLE #o (a int)
GO
--@ source: documentation CREATE TABLE
CREATE PROCEDURE uses_outer AS
SELECT * FROM #o
CREATE TABLE #o (b varchar(5))
INSERT #o VALUES ('in')
SELECT * FROM #o
GO
--@ source: documentation CREATE TABLE
INSERT #o VALUES (1)
EXEC uses_outer
SELECT * FROM #o
DROP TABLE #o
GO
--@ source: documentation sp_executesql
DECLARE @sql nvarchar(max) = N'CREATE TABLE #dyn (a int); INSERT #dyn VALUES (1); SELECT a FROM #dyn; EXEC (''SELECT a + 1 AS b FROM #dyn'')'
EXEC sp_executesql @sql
SELECT OBJECT_ID('tempdb..#dyn') AS gone
GO
--@ source: documentation EXECUTE
CREATE PROCEDURE outp @a int OUTPUT, @b varchar(10) = 'z' OUTPUT AS SELECT @a = ISNULL(@a, 0) + 1, @b = @b + '!'
GO
--@ source: documentation EXECUTE
DECLARE @x int, @y varchar(10)
EXEC outp @x OUTPUT, @y OUTPUT
SELECT @x AS x, @y AS y
EXEC outp @x OUTPUT
SELECT @x AS x
EXEC outp @b = @y OUTPUT, @a = @x
SELECT @x AS x, @y AS y
DECLARE @s smallint = 1
EXEC outp @s OUTPUT
SELECT @s AS s
DECLARE @big bigint = 5
EXEC outp @big OUTPUT
SELECT @big AS b
GO
--@ source: message 206
DECLARE @d date = '20200101'
EXEC outp @d OUTPUT
GO
--@ source: documentation EXECUTE
DECLARE @c varchar(1) = 'a', @n int = 1
EXEC outp @n, @c OUTPUT
SELECT @c AS c
GO
--@ source: documentation GOTO
IF 1 = 1
BEGIN
  GOTO inside
  PRINT 'never'
  inside:
  PRINT 'label in a block'
END
WHILE 1 = 1 BEGIN GOTO outside END
outside: PRINT 'out'
GO
--@ source: documentation SET ARITHABORT
SET ARITHABORT OFF
SET ANSI_WARNINGS OFF
SELECT 1/0 AS d
INSERT t (b) VALUES (1/0)
SELECT TOP 1 b FROM t ORDER BY a DESC
SET ARITHABORT ON
SET ANSI_WARNINGS ON
GO
--@ source: documentation SET ANSI_NULL_DFLT_ON
SET ANSI_NULL_DFLT_ON OFF
CREATE TABLE nd (a int)
SELECT is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('nd')
SET ANSI_NULL_DFLT_ON ON
DROP TABLE nd
GO
--@ source: documentation SET DATEFORMAT
SET DATEFORMAT dmy
SELECT CAST('13/02/2020' AS datetime) AS d
SET DATEFORMAT mdy
SELECT CAST('13/02/2020' AS datetime) AS d
GO
--@ source: message 2740
SET LANGUAGE nosuch
GO
--@ source: message 102
SET XACT_ABORT 1
GO
--@ source: documentation SET Statements
SET NOCOUNT, XACT_ABORT ON
SELECT @@OPTIONS & 16896 AS o
SET NOCOUNT, XACT_ABORT OFF
GO
--@ source: reasoned
USE master
DROP DATABASE ChangesScopes
GO
