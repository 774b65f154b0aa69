-- Tables as parameters of functions.
--@ source: reasoned
CREATE DATABASE FunctionsOfTables;
GO
--@ source: reasoned
USE FunctionsOfTables;
CREATE TYPE dbo.numbers AS TABLE (n int NOT NULL PRIMARY KEY, word varchar(20) NULL);
CREATE TYPE dbo.others AS TABLE (n int NOT NULL);
CREATE TABLE dbo.base (n int NOT NULL PRIMARY KEY, amount int NOT NULL);
INSERT dbo.base VALUES (1, 10), (2, 20), (3, 30), (4, 40);
GO
--@ source: documentation create-function-transact-sql
CREATE FUNCTION dbo.total (@t dbo.numbers READONLY, @factor int = 1) RETURNS int AS
BEGIN
    DECLARE @sum int = (SELECT SUM(n) FROM @t);
    RETURN ISNULL(@sum, 0) * @factor;
END;
GO
--@ source: documentation create-function-transact-sql
CREATE FUNCTION dbo.joined (@t dbo.numbers READONLY, @least int) RETURNS TABLE AS
RETURN SELECT b.n, b.amount, t.word FROM dbo.base AS b JOIN @t AS t ON t.n = b.n WHERE b.amount >= @least;
GO
--@ source: documentation create-function-transact-sql
CREATE FUNCTION dbo.doubled (@t dbo.numbers READONLY) RETURNS @out TABLE (n int, total int) AS
BEGIN
    INSERT @out SELECT n, dbo.total(@t, n) FROM @t;
    RETURN;
END;
GO
--@ source: reasoned
CREATE FUNCTION dbo.handed_on (@them dbo.numbers READONLY) RETURNS TABLE AS
RETURN SELECT j.n, j.word, dbo.total(@them, 100) AS total FROM dbo.joined(@them, 15) AS j WHERE EXISTS (SELECT 1 FROM @them AS t WHERE t.n = j.n);
GO
--@ source: documentation create-function-transact-sql
DECLARE @t dbo.numbers;
SELECT dbo.total(@t, 5) AS of_none;
INSERT @t VALUES (2, 'two'), (3, 'three'), (9, 'nine');
SELECT dbo.total(@t, DEFAULT) AS total, dbo.total(@t, 2) AS twice, dbo.total(DEFAULT, 3) AS of_default;
SELECT n, amount, word FROM dbo.joined(@t, 0) ORDER BY n;
SELECT n, amount, word FROM dbo.joined(@t, 25) ORDER BY n;
SELECT n, total FROM dbo.doubled(@t) ORDER BY n;
SELECT n, word, total FROM dbo.handed_on(@t) ORDER BY n;
SELECT b.n, j.word FROM dbo.base AS b CROSS APPLY dbo.joined(@t, b.amount) AS j WHERE j.n = b.n ORDER BY b.n;
DECLARE @r int;
EXEC @r = dbo.total @t, 10;
SELECT @r AS called, (SELECT SUM(total) FROM dbo.doubled(@t)) AS in_a_subquery;
GO
--@ source: reasoned
-- The plan is kept; the next batch has a table of its own. Loops change what is in it.
DECLARE @t dbo.numbers, @i int = 1;
WHILE @i <= 3
BEGIN
    INSERT @t VALUES (@i, CONCAT('w', @i));
    SELECT @i AS i, dbo.total(@t, 1) AS total, (SELECT COUNT(*) FROM dbo.joined(@t, 0)) AS joined;
    SET @i += 1;
END;
GO
--@ source: reasoned
CREATE PROCEDURE dbo.use_them @t dbo.numbers READONLY AS
SELECT dbo.total(@t, 1) AS total, (SELECT COUNT(*) FROM dbo.handed_on(@t)) AS handed_on;
UPDATE dbo.base SET amount += dbo.total(@t, 1) WHERE n IN (SELECT n FROM dbo.doubled(@t));
GO
--@ source: reasoned
DECLARE @t dbo.numbers;
INSERT @t VALUES (1, 'one'), (4, 'four');
EXEC dbo.use_them @t;
EXEC sp_executesql N'SELECT dbo.total(@p, 7) AS in_a_text, (SELECT COUNT(*) FROM dbo.joined(@p, 0)) AS joined', N'@p dbo.numbers READONLY', @t;
SELECT n, amount FROM dbo.base ORDER BY n;
GO
--@ source: documentation sys-parameters-transact-sql
SELECT OBJECT_NAME(object_id) AS function_name, name, TYPE_NAME(user_type_id) AS type_name, is_readonly
FROM sys.parameters WHERE object_id IN (OBJECT_ID('dbo.total'), OBJECT_ID('dbo.joined'), OBJECT_ID('dbo.doubled')) AND parameter_id > 0 ORDER BY function_name, parameter_id;
SELECT OBJECTPROPERTYEX(OBJECT_ID('dbo.total'), 'IsInlineFunction') AS inline_function, is_inlineable FROM sys.sql_modules WHERE object_id = OBJECT_ID('dbo.total');
GO
--@ source: message 206
DECLARE @t dbo.others;
SELECT dbo.total(@t, 1);
GO
--@ source: message 206
DECLARE @t TABLE (n int NOT NULL PRIMARY KEY, word varchar(20) NULL);
SELECT n FROM dbo.joined(@t, 1);
GO
--@ source: message 206
SELECT dbo.total(1, 1);
GO
--@ source: message 206
DECLARE @n int = 1;
SELECT n FROM dbo.doubled(@n);
GO
--@ source: message 137
SELECT dbo.total(@nobody, 1);
GO
--@ source: message 313
DECLARE @t dbo.numbers;
SELECT dbo.total(@t);
GO
--@ source: message 352
CREATE FUNCTION dbo.wrong (@t dbo.numbers) RETURNS int AS BEGIN RETURN 1 END;
GO
--@ source: message 346
CREATE FUNCTION dbo.wrong (@t int READONLY) RETURNS int AS BEGIN RETURN 1 END;
GO
--@ source: message 10700
CREATE FUNCTION dbo.wrong (@t dbo.numbers READONLY) RETURNS int AS BEGIN INSERT @t VALUES (1, ''); RETURN 1 END;
GO
--@ source: message 3732
DROP TYPE dbo.numbers;
GO
--@ source: documentation sp-describe-first-result-set-transact-sql
-- Texts with tables as parameters are described.
EXEC sp_describe_first_result_set N'SELECT t.n, t.word, dbo.total(@t, @f) AS total FROM @t AS t JOIN dbo.joined(@t, 1) AS j ON j.n = t.n', N'@t dbo.numbers READONLY, @f int';
GO
--@ source: documentation sp-describe-undeclared-parameters-transact-sql
EXEC sp_describe_undeclared_parameters N'SELECT t.word FROM @t AS t WHERE t.n = @n AND t.word = @w', N'@t dbo.numbers READONLY';
GO
--@ source: reasoned
USE master;
DROP DATABASE FunctionsOfTables;
GO
