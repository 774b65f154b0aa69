-- What the error log says since the restart.
CREATE TABLE #log (at datetime, process nvarchar(60), text nvarchar(max))
INSERT #log EXEC sys.xp_readerrorlog 0, 1, N'torn page', N'$(database)'
SELECT CONVERT(float, COALESCE(SUM(CONVERT(int, LEFT(text, CHARINDEX(' ', text)))), 0)) AS repaired FROM #log
