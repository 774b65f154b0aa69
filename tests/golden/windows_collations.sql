--@ source: documentation relational-databases/collations/collation-and-unicode-support
SELECT IIF('a' = 'A' COLLATE Latin1_General_CI_AS, 1, 0) AS ci, IIF('a' = 'A' COLLATE Latin1_General_CS_AS, 1, 0) AS cs,
    IIF('e' = 'é' COLLATE Latin1_General_CI_AI, 1, 0) AS ai, IIF('e' = 'é' COLLATE French_CI_AS, 1, 0) AS acs,
    IIF(N'あ' = N'ア' COLLATE Japanese_CI_AS, 1, 0) AS ki, IIF(N'あ' = N'ア' COLLATE Japanese_CI_AS_KS, 1, 0) AS ks,
    IIF(N'Ａ' = N'a' COLLATE Latin1_General_100_CI_AS, 1, 0) AS wi, IIF(N'Ａ' = N'a' COLLATE Latin1_General_100_CI_AS_WS, 1, 0) AS ws
GO
--@ source: documentation relational-databases/collations/collation-and-unicode-support
CREATE TABLE t (id int IDENTITY PRIMARY KEY, cs varchar(20) COLLATE Latin1_General_CS_AS, ai nvarchar(20) COLLATE Latin1_General_100_CI_AI_SC_UTF8)
INSERT t (cs, ai) VALUES ('b', N'cote'), ('A', N'Côté'), ('a', N'COTE'), ('co-op', N'cot'), ('coop', N'cup'), ('B', N'côte')
SELECT cs FROM t ORDER BY cs
SELECT COUNT(*) AS n, COUNT(DISTINCT cs) AS cs, COUNT(DISTINCT ai) AS ai FROM t
SELECT ai, COUNT(*) AS n FROM t GROUP BY ai ORDER BY ai
SELECT cs FROM t WHERE cs = 'A'
SELECT id FROM t WHERE ai = 'cote' ORDER BY id
SELECT id FROM t WHERE ai LIKE 'cote%' ORDER BY id
SELECT cs FROM t WHERE cs BETWEEN 'A' AND 'b' ORDER BY cs
GO
--@ source: reasoned
CREATE INDEX by_cs ON t (cs)
CREATE INDEX by_ai ON t (ai)
GO
--@ source: reasoned
SELECT cs FROM t WITH (INDEX (by_cs)) WHERE cs > 'A' ORDER BY cs
SELECT id FROM t WITH (INDEX (by_ai)) WHERE ai = N'coTé' ORDER BY id
SELECT id FROM t WITH (INDEX (by_ai)) WHERE ai LIKE N'cot_' ORDER BY id
SELECT id FROM t WITH (INDEX (by_cs)) WHERE cs = N'co-op'
SELECT MIN(cs) AS least, MAX(cs) AS most FROM t
SELECT a.id, b.id FROM t a JOIN t b ON a.ai = b.ai AND a.id < b.id ORDER BY 1, 2
GO
--@ source: message 2627
CREATE TABLE u (c nvarchar(10) COLLATE Latin1_General_CI_AI CONSTRAINT one PRIMARY KEY)
INSERT u VALUES (N'resume')
INSERT u VALUES (N'Résumé')
GO
--@ source: reasoned
SELECT c.name, c.collation_name FROM sys.columns c WHERE object_id = OBJECT_ID('t') ORDER BY column_id
GO
--@ source: documentation t-sql/functions/charindex-transact-sql
SELECT CHARINDEX(N'E', N'café' COLLATE Latin1_General_CI_AI) AS ai, CHARINDEX('TEST', 'a test' COLLATE Latin1_General_CS_AS) AS cs,
    REPLACE(N'Élan élan' COLLATE Latin1_General_CI_AI, N'e', N'x') AS replaced, PATINDEX('%B%', 'abB' COLLATE Latin1_General_CS_AS) AS pat
GO
--@ source: documentation t-sql/language-elements/like-transact-sql
SELECT v FROM (VALUES (N'a'), (N'A'), (N'b'), (N'B'), (N'c'), (N'C'), (N'á')) t(v) WHERE v COLLATE Latin1_General_CS_AS LIKE N'[a-c]' ORDER BY v COLLATE Latin1_General_CS_AS
GO
--@ source: documentation t-sql/functions/upper-transact-sql
SELECT UPPER(N'iı' COLLATE Turkish_CI_AS) AS upper_tr, LOWER(N'Iİ' COLLATE Turkish_CI_AS) AS lower_tr, UPPER(N'i') AS plain
GO
--@ source: documentation relational-databases/collations/collation-and-unicode-support
SELECT v FROM (VALUES (N'cz'), (N'ch'), (N'd'), (N'ñ'), (N'n'), (N'o')) t(v) ORDER BY v COLLATE Traditional_Spanish_CI_AS
SELECT v FROM (VALUES (N'z'), (N'å'), (N'ö'), (N'ä'), (N'a')) t(v) ORDER BY v COLLATE Finnish_Swedish_100_CI_AS
DROP TABLE t, u
GO
GO
--@ source: message 2601
CREATE TABLE k (id int IDENTITY, ai nvarchar(20) COLLATE Latin1_General_100_CI_AI, cs varchar(20) COLLATE Latin1_General_100_CS_AS, ks nvarchar(20) COLLATE Japanese_90_CI_AS_KS)
CREATE UNIQUE INDEX by_ai ON k (ai)
INSERT k (ai) VALUES (N'naive')
INSERT k (ai) VALUES (N'NAÏVE')
GO
--@ source: message 2601
CREATE UNIQUE INDEX by_cs ON k (cs, ks)
UPDATE k SET cs = 'Key', ks = N'かな'
INSERT k (ai, cs, ks) VALUES (N'b', 'key', N'かな'), (N'c', 'Key', N'カナ')
INSERT k (ai, cs, ks) VALUES (N'd', 'KEY', N'かな'), (N'e', 'key', N'かな')
GO
--@ source: reasoned
-- Nothing of the failed statements is there; each spelling of a case-sensitive key is a key.
SELECT ai, cs, ks FROM k ORDER BY cs, ks
DELETE k WHERE cs = 'key'
MERGE k USING (VALUES ('Key', N'カナ', N'merged'), ('key', N'カナ', N'new')) s (cs, ks, ai) ON k.cs = s.cs AND k.ks = s.ks
    WHEN MATCHED THEN UPDATE SET ai = s.ai WHEN NOT MATCHED THEN INSERT (ai, cs, ks) VALUES (s.ai, s.cs, s.ks);
SELECT ai, cs, ks FROM k ORDER BY cs, ks
SELECT COUNT(*) AS n FROM k a JOIN k b ON a.ks = b.ks
SELECT COUNT(*) AS n FROM k a JOIN k b ON a.ks = b.ks COLLATE Japanese_90_CI_AS
DROP TABLE k
GO
--@ source: documentation relational-databases/collations/collation-and-unicode-support
-- Each sensitivity by itself, of versions 80, 90, 100 and 140.
SELECT w, COUNT(*) AS n FROM (VALUES (N'ａ'), (N'a'), (N'Ａ'), (N'A')) t(v) CROSS APPLY (SELECT v COLLATE Latin1_General_CI_AS_WS AS w) x GROUP BY w ORDER BY w
SELECT MIN(w) AS w, COUNT(*) AS n FROM (VALUES (N'ｶ'), (N'カ'), (N'か')) t(v) CROSS APPLY (SELECT v COLLATE Japanese_90_CI_AS_KS_WS AS w) x GROUP BY w ORDER BY w
SELECT COUNT(DISTINCT v COLLATE Japanese_XJIS_100_CI_AS) AS neither, COUNT(DISTINCT v COLLATE Japanese_XJIS_100_CI_AS_KS) AS ks,
    COUNT(DISTINCT v COLLATE Japanese_XJIS_100_CI_AS_WS) AS ws FROM (VALUES (N'ｶ'), (N'カ'), (N'か')) t(v)
SELECT COUNT(DISTINCT v COLLATE Japanese_XJIS_140_CI_AS) AS plain, COUNT(DISTINCT v COLLATE Japanese_XJIS_140_CI_AS_VSS) AS vss
    FROM (VALUES (N'葛'), (N'葛' + NCHAR(0xDB40) + NCHAR(0xDD00)), (N'葛' + NCHAR(0xFE00))) t(v)
GO
--@ source: reasoned
-- Characters beyond the first plane weigh nothing in version 80, by themselves in later ones.
SELECT COUNT(DISTINCT v COLLATE Latin1_General_CI_AS) AS v80, COUNT(DISTINCT v COLLATE Latin1_General_100_CI_AS) AS v100, COUNT(DISTINCT v COLLATE Latin1_General_100_CI_AS_SC) AS sc
    FROM (VALUES (N'😀'), (N'😁'), (N'')) t(v)
GO
--@ source: documentation relational-databases/collations/collation-and-unicode-support
-- Binary: _BIN2 by code units, _BIN by the first and then by bytes.
SELECT v FROM (VALUES (N'aā'), (N'aa'), (N'aZ'), (N'Z'), (N'ā')) t(v) ORDER BY v COLLATE Latin1_General_BIN2
SELECT v FROM (VALUES (N'aā'), (N'aa'), (N'aZ'), (N'Z'), (N'ā')) t(v) ORDER BY v COLLATE Latin1_General_BIN
SELECT v FROM (VALUES (N'aā'), (N'aa'), (N'aZ'), (N'Z'), (N'ā')) t(v) ORDER BY v COLLATE French_100_BIN2 DESC
SELECT IIF(N'a' = N'A' COLLATE Greek_BIN2, 1, 0) AS cased, IIF(N'a' = N'a ' COLLATE Greek_BIN, 1, 0) AS padded
GO
--@ source: message 457
CREATE TABLE c (fr varchar(5) COLLATE French_CI_AS, es varchar(5) COLLATE Modern_Spanish_CI_AS, nfr nvarchar(5) COLLATE French_CI_AS, nes nvarchar(5) COLLATE Modern_Spanish_CI_AS)
SELECT fr + es FROM c
GO
--@ source: message 468
SELECT 1 FROM c WHERE fr = es
GO
--@ source: message 468
SELECT 1 FROM c WHERE nfr LIKE nes
GO
--@ source: message 468
SELECT 1 FROM c a JOIN c b ON a.nfr = b.nes
GO
--@ source: message 451
SELECT nfr + nes FROM c
GO
--@ source: message 451
SELECT 1 FROM c ORDER BY nfr + nes
GO
--@ source: reasoned
INSERT c VALUES ('é', 'é', N'é', N'é')
SELECT fr FROM c WHERE fr = es COLLATE French_CI_AI AND nfr = nes COLLATE DATABASE_DEFAULT
DROP TABLE c
