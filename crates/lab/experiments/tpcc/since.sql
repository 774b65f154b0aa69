UPDATE dbo.Since SET measured = SYSUTCDATETIME()
