EXEC dbo.terminal $(client), $(round)
