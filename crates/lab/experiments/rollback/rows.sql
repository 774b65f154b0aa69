SELECT CONVERT(float, COUNT(*)) AS kept, CONVERT(float, SUM(done)) AS changed FROM dbo.Kept
