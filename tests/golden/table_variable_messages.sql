-- Table variables and temp tables in messages, identities that are used up.
--@ source: message 1077
DECLARE @t table (id int IDENTITY, a int)
INSERT @t (id, a) VALUES (1, 2)
GO
--@ source: message 8101
DECLARE @t table (id int IDENTITY, a int)
INSERT @t VALUES (1, 2)
GO
--@ source: message 515
DECLARE @t table (id int NOT NULL, a int)
INSERT @t (a) VALUES (1)
GO
--@ source: message 2628
DECLARE @t table (v varchar(2))
INSERT @t VALUES ('abc')
GO
--@ source: message 8101
CREATE TABLE #t (id int IDENTITY, a int)
INSERT #t VALUES (1, 2)
GO
--@ source: message 8115
CREATE TABLE #i (id tinyint IDENTITY(255, 1), a int)
INSERT #i VALUES (1)
INSERT #i VALUES (2)
INSERT #i SELECT 3
GO
--@ source: message 220
DECLARE @t table (id tinyint, a int)
INSERT @t VALUES (256, 1)
GO
--@ source: message 2627
DECLARE @t table (id int PRIMARY KEY, a int UNIQUE)
BEGIN TRY INSERT @t VALUES (1, 1), (1, 2) END TRY
BEGIN CATCH SELECT CASE WHEN ERROR_MESSAGE() LIKE '%duplicate key in object ''dbo.@t''. The%' THEN 'named' ELSE ERROR_MESSAGE() END AS said END CATCH
GO
--@ source: message 547
DECLARE @t table (id int CHECK (id > 0))
BEGIN TRY INSERT @t VALUES (0) END TRY
BEGIN CATCH SELECT CASE WHEN ERROR_MESSAGE() LIKE '%table "@t", column ''id''.' THEN 'named' ELSE ERROR_MESSAGE() END AS said END CATCH
GO
--@ source: message 2627
CREATE TABLE #k (id int CONSTRAINT pk_k PRIMARY KEY)
INSERT #k VALUES (1), (1)
GO
