SELECT COUNT(*) FROM dbo.Torn WHERE id = $(round) AND filler = REPLICATE('n', 7900)
