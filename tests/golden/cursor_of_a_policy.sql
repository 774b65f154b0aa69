--@ source: reasoned
-- A keyset's rows are shown as far as a policy shows them now.
CREATE TABLE dbo.tsq_rl (id int PRIMARY KEY, v int);
INSERT dbo.tsq_rl VALUES (1, 1), (2, 2), (3, 3);
CREATE USER tsq_u WITHOUT LOGIN;
GRANT SELECT ON dbo.tsq_rl TO tsq_u;
GO
--@ source: reasoned
CREATE FUNCTION dbo.tsq_f(@v int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS ok WHERE @v < 100 OR USER_NAME() = 'dbo';
GO
--@ source: reasoned
CREATE SECURITY POLICY dbo.tsq_p ADD FILTER PREDICATE dbo.tsq_f(v) ON dbo.tsq_rl;
GO
--@ source: reasoned
EXECUTE AS USER = 'tsq_u';
DECLARE c CURSOR GLOBAL KEYSET FOR SELECT id, v FROM dbo.tsq_rl WHERE v < 50;
OPEN c;
FETCH c;
REVERT;
UPDATE dbo.tsq_rl SET v = 60 WHERE id = 1;
UPDATE dbo.tsq_rl SET v = 998 WHERE id = 2;
EXECUTE AS USER = 'tsq_u';
FETCH RELATIVE 0 FROM c; -- 1 60: the query's own WHERE says nothing of it now
FETCH NEXT FROM c;       -- a row of no values
SELECT @@FETCH_STATUS AS status; -- -2
FETCH NEXT FROM c;       -- 3 3
DEALLOCATE c;
REVERT;
GO
--@ source: reasoned
DROP SECURITY POLICY dbo.tsq_p;
DROP FUNCTION dbo.tsq_f;
DROP TABLE dbo.tsq_rl;
DROP USER tsq_u;
GO
