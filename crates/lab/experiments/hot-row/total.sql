SELECT CONVERT(float, SUM(n)) AS counted FROM dbo.Counter
