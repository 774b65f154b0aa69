-- What readers of queues write, what a MERGE may not, and numbers that are variables of other types.
--@ source: reasoned
CREATE TABLE dbo.t(id int IDENTITY CONSTRAINT pk_t PRIMARY KEY, a int); INSERT dbo.t(a) VALUES (1), (2);
CREATE TABLE dbo.dd(a decimal(18, 0) IDENTITY, b int); INSERT dbo.dd(b) VALUES (1);
GO
--@ source: peer readers of queues in the field
SELECT COUNT(*) AS n FROM dbo.t WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK);
SELECT COUNT(*) AS n FROM dbo.t WITH (UPDLOCK, READPAST, ROWLOCK);
GO
--@ source: message 1047
SELECT COUNT(*) AS n FROM dbo.t WITH (READCOMMITTEDLOCK, REPEATABLEREAD);
GO
--@ source: message 1065
MERGE dbo.t WITH (NOLOCK) AS x USING (SELECT 1 AS id) AS s ON x.id = s.id WHEN MATCHED THEN DELETE;
GO
--@ source: reasoned
MERGE dbo.t AS x USING dbo.t AS s WITH (NOLOCK) ON x.id = s.id AND 1 = 0 WHEN MATCHED THEN DELETE;
GO
--@ source: documentation DBCC CHECKIDENT
DECLARE @n numeric(38, 0) = IDENT_CURRENT('dbo.dd') + 9;
DBCC CHECKIDENT('dbo.dd', RESEED, @n) WITH NO_INFOMSGS;
INSERT dbo.dd(b) VALUES (2);
DBCC CHECKIDENT('dbo.dd', RESEED, 20.0) WITH NO_INFOMSGS;
INSERT dbo.dd(b) VALUES (3);
SELECT a, b FROM dbo.dd ORDER BY b;
GO
--@ source: message 2560
DECLARE @n bigint = 99999999999;
DBCC CHECKIDENT('dbo.t', RESEED, @n);
GO
--@ source: documentation DBCC INPUTBUFFER
DBCC INPUTBUFFER(@@SPID) WITH NO_INFOMSGS
GO
--@ source: message 137
SELECT id FROM dbo.t OPTION (OPTIMIZE FOR (@nope UNKNOWN));
GO
--@ source: message 307
SELECT * FROM dbo.t WITH (INDEX (99999999999999999999));
GO
--@ source: reasoned
DROP TABLE dbo.t, dbo.dd;
GO
