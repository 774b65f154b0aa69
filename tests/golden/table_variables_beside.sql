-- A table variable among other declarations, its name before a column, @@IDENTITY of a table without one.
--@ source: message 137
DECLARE @t TABLE (a int)
SELECT a FROM @t WHERE @t.a = 1
GO
--@ source: documentation DECLARE @local_variable
DECLARE @t TABLE (a int), @n int = 5
SELECT @n AS n
GO
--@ source: documentation DECLARE @local_variable
DECLARE @n int = 5, @t TABLE (a int), @m varchar(5) = 'm'
SELECT @n AS n, @m AS m
GO
--@ source: documentation @@IDENTITY
CREATE TABLE i1 (i int IDENTITY, a int)
CREATE TABLE plain (a int)
INSERT i1 VALUES (1)
INSERT plain VALUES (1)
SELECT @@IDENTITY AS i
DROP TABLE i1, plain
GO
--@ source: message 156
DECLARE @t TABLE (a int, CONSTRAINT named UNIQUE (a))
GO
