-- SET options hold from the statement that sets them: nothing that was worked out under another value is used.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: documentation SET DATEFORMAT
SET DATEFORMAT mdy
SELECT CAST('05/03/2024' AS date) AS mdy
SET DATEFORMAT dmy
SELECT CAST('05/03/2024' AS date) AS dmy, MONTH('05/03/2024') AS m
DECLARE @d date = '05/03/2024'
SELECT @d AS declared
SET DATEFORMAT mdy
SET @d = '05/03/2024'
SELECT @d AS assigned
IF @d = '05/03/2024' PRINT 'as mdy'
GO
--@ source: documentation SET DATEFORMAT
CREATE TABLE dates (d date)
INSERT dates VALUES ('20240305')
SET DATEFORMAT dmy
SELECT COUNT(*) AS dmy FROM dates WHERE d = '05/03/2024'
SET DATEFORMAT mdy
SELECT COUNT(*) AS mdy FROM dates WHERE d = '05/03/2024'
DROP TABLE dates
GO
--@ source: reasoned
CREATE PROCEDURE of_dates AS
SET DATEFORMAT dmy
DECLARE @d date = '05/03/2024'
SELECT @d AS declared, CAST('05/03/2024' AS date) AS selected
GO
--@ source: documentation SET Statements
-- What a procedure sets is undone when it returns.
EXEC of_dates
SELECT CAST('05/03/2024' AS date) AS afterwards
DROP PROCEDURE of_dates
GO
--@ source: documentation SET CONCAT_NULL_YIELDS_NULL
SET CONCAT_NULL_YIELDS_NULL OFF
SELECT 'a' + NULL AS a
DECLARE @s varchar(5)
SET @s = 'b' + @s
SELECT @s AS s
SET CONCAT_NULL_YIELDS_NULL ON
SELECT 'a' + NULL AS a, @s + NULL AS s
GO
--@ source: documentation SET ANSI_NULLS
-- OFF acts only where one side is the literal NULL or a variable.
SET ANSI_NULLS OFF
DECLARE @n int
IF @n = NULL PRINT 'equal' ELSE PRINT 'unknown'
IF @n <> 1 PRINT 'not equal'
SELECT 1 AS literals WHERE NULL = NULL
SELECT 2 AS list WHERE @n IN (1, NULL)
DECLARE @t TABLE (a int, b int)
INSERT @t VALUES (NULL, NULL), (1, 1)
SELECT (SELECT COUNT(*) FROM @t WHERE a = b) AS columns, (SELECT COUNT(*) FROM @t WHERE a = NULL) AS nulls,
       (SELECT COUNT(*) FROM @t WHERE a <> NULL) AS others, (SELECT COUNT(*) FROM @t WHERE a = @n) AS variable
SET ANSI_NULLS ON
SELECT COUNT(*) AS nulls FROM @t WHERE a = NULL
IF @n = NULL PRINT 'equal' ELSE PRINT 'unknown'
GO
--@ source: reasoned
SET ANSI_NULLS OFF
SET QUOTED_IDENTIFIER OFF
GO
--@ source: reasoned
CREATE PROCEDURE kept_options @x int AS
IF @x = NULL PRINT 'equal' ELSE PRINT 'unknown'
SET ANSI_NULLS ON
IF @x = NULL PRINT "equal" ELSE PRINT "unknown"
GO
--@ source: reasoned
CREATE VIEW kept_view AS SELECT 1 AS a WHERE NULL = NULL
GO
--@ source: reasoned
SET ANSI_NULLS ON
SET QUOTED_IDENTIFIER ON
GO
--@ source: documentation SET ANSI_NULLS
-- A module keeps what it was made under.
EXEC kept_options NULL
SELECT a FROM kept_view
SELECT OBJECT_NAME(object_id) AS module, uses_ansi_nulls, uses_quoted_identifier FROM sys.sql_modules
WHERE object_id IN (OBJECT_ID('kept_options'), OBJECT_ID('kept_view')) ORDER BY module
SELECT OBJECTPROPERTY(OBJECT_ID('kept_view'), 'ExecIsAnsiNullsOn') AS nulls, OBJECTPROPERTY(OBJECT_ID('kept_options'), 'ExecIsQuotedIdentOn') AS quoted
DROP PROCEDURE kept_options
DROP VIEW kept_view
GO
--@ source: documentation SET PARSEONLY
SET PARSEONLY ON
GO
--@ source: reasoned
SELECT 'not run' AS a
GO
--@ source: reasoned
SET PARSEONLY OFF
GO
--@ source: documentation SET PARSEONLY
SELECT 'run' AS a
GO
--@ source: documentation SET NOEXEC
SET NOEXEC ON
SELECT 'not run' AS a
SET NOEXEC OFF
SELECT 'run' AS a
GO
--@ source: documentation SET QUOTED_IDENTIFIER
-- Obeyed while the batch is parsed, whether it is reached or not.
SET QUOTED_IDENTIFIER OFF
IF 1 = 0 SET QUOTED_IDENTIFIER ON
GO
--@ source: documentation SESSIONPROPERTY
SELECT SESSIONPROPERTY('QUOTED_IDENTIFIER') AS quoted
GO
--@ source: documentation SET LANGUAGE
SET LANGUAGE German
SELECT DATENAME(month, '20240305') AS month, DATENAME(weekday, '20240305') AS day, @@LANGUAGE AS language, @@LANGID AS id, @@DATEFIRST AS first,
       CAST('05.03.2024' AS date) AS dmy, CAST('5 Okt 2024' AS date) AS named, CAST('5 October 2024' AS date) AS english
SELECT CONVERT(varchar(30), CAST('20240305' AS datetime)) AS shown
SET LANGUAGE us_english
SELECT CAST('5 Okt 2024' AS date)
GO
--@ source: documentation SET LANGUAGE
SET LANGUAGE Русский
SELECT DATENAME(month, '20240305') AS month, CAST(N'5 март 2024' AS date) AS named
SET LANGUAGE Klingon
SET LANGUAGE English
GO
--@ source: documentation sys.syslanguages
SELECT COUNT(*) AS languages FROM sys.syslanguages
SELECT langid, dateformat, datefirst, name, alias, shortmonths, lcid FROM sys.syslanguages WHERE alias IN ('French', 'Japanese') ORDER BY langid
GO
--@ source: documentation SET ANSI_WARNINGS
-- OFF, with ARITHABORT OFF: NULL and a message.
SET ANSI_WARNINGS OFF
SELECT 1 / 0 AS n, CAST(300 AS tinyint) AS t
DECLARE @i int = 1
SET @i = 1 / (@i - 1)
SELECT @i AS i
DECLARE @t TABLE (v varchar(2), n tinyint NULL)
INSERT @t VALUES ('abc', 300)
SELECT v, n FROM @t
SET ARITHIGNORE ON
SELECT 1 / 0 AS n
SET ARITHIGNORE OFF
SET ANSI_WARNINGS ON
SELECT 1 / 0 AS n
PRINT 'goes on'
GO
--@ source: documentation SET ARITHABORT
SET ANSI_WARNINGS OFF
SET ARITHABORT ON
SELECT 1 / 0 AS n
PRINT 'not reached'
GO
--@ source: reasoned
SET ANSI_WARNINGS ON
SET ARITHABORT OFF
GO
--@ source: documentation SET NUMERIC_ROUNDABORT
SET NUMERIC_ROUNDABORT ON
DECLARE @result decimal(5, 2), @a decimal(5, 4) = 1.1234
SELECT @result = @a + @a
SELECT @result AS result
SET NUMERIC_ROUNDABORT OFF
SELECT @result = @a + @a
SELECT @result AS result
GO
--@ source: documentation SET TEXTSIZE
SET TEXTSIZE 5
SELECT CAST('abcdefgh' AS varchar(max)) AS v, CAST(N'abcdefgh' AS nvarchar(max)) AS n, CAST('abcdefgh' AS varchar(20)) AS short, @@TEXTSIZE AS size
SET TEXTSIZE -1
SELECT CAST('abcdefgh' AS varchar(max)) AS v
SELECT @@TEXTSIZE AS size
SELECT text_size FROM sys.dm_exec_sessions WHERE session_id = @@SPID
SET TEXTSIZE 2147483647
GO
