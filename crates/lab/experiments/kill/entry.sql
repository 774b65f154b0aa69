SET NOCOUNT ON
INSERT dbo.Ledger VALUES ($(client), $(round), 'acknowledged')
