-- CREATE DATABASE … AS CLONE OF, which SQL Server has not: a copy of a database that nobody uses.
--@ source: reasoned
CREATE DATABASE Template
GO
--@ source: reasoned
CREATE TABLE Template.dbo.t (a int IDENTITY PRIMARY KEY, b varchar(10) NOT NULL)
INSERT Template.dbo.t VALUES ('one'), ('two')
GO
--@ source: reasoned
CREATE DATABASE [Test 1] AS CLONE OF Template
CREATE DATABASE Test2 AS CLONE OF [Template]
GO
--@ source: reasoned
INSERT [Test 1].dbo.t VALUES ('three')
DELETE Test2.dbo.t WHERE a = 1
SELECT (SELECT COUNT(*) FROM Template.dbo.t) AS template, (SELECT MAX(a) FROM [Test 1].dbo.t) AS test1, (SELECT COUNT(*) FROM Test2.dbo.t) AS test2
GO
--@ source: reasoned
CREATE DATABASE Test3 AS CLONE OF Nowhere
GO
--@ source: message 1801
CREATE DATABASE Test2 AS CLONE OF Template
GO
--@ source: reasoned
CREATE DATABASE Test3 AS CLONE OF master
GO
--@ source: reasoned
CREATE DATABASE Test3 ON (NAME = x, FILENAME = 'x.mdf') AS CLONE OF Template
GO
--@ source: message 226
BEGIN TRANSACTION
CREATE DATABASE Test3 AS CLONE OF Template
ROLLBACK
GO
--@ source: message 5030
USE Template
CREATE DATABASE Test3 AS CLONE OF Template
GO
--@ source: message 942
USE master
ALTER DATABASE Template SET OFFLINE
CREATE DATABASE Test3 AS CLONE OF Template
GO
--@ source: reasoned
ALTER DATABASE Template SET ONLINE
DROP DATABASE Template, [Test 1], Test2
SELECT COUNT(*) AS [left] FROM sys.databases WHERE name IN (N'Template', N'Test 1', N'Test2', N'Test3')
GO
