-- Closes what is left of $(Year): its months, its result, and the year itself. Its books stay as they are from then on.
USE Shop;
GO
SET NOCOUNT ON;
DECLARE @Period int, @Result decimal(19, 2), @Earned decimal(19, 2);
WHILE 1 = 1
BEGIN
    SET @Period = (SELECT MIN(PeriodId) FROM accounting.Period WHERE State = 'O' AND FiscalYear = $(Year) AND Number <= 12);
    IF @Period IS NULL
        BREAK;
    EXEC accounting.ClosePeriod @Period;
END;
EXEC accounting.CloseFiscalYear $(Year), @Result OUTPUT;
SELECT @Earned = -SUM(Balance)
FROM accounting.AccountBalance AS b
JOIN accounting.Account AS a ON a.AccountId = b.AccountId
WHERE a.AccountCode = '3100';
EXEC test.Same N'the result is what is retained', @Earned, @Result;
SELECT @Earned = COALESCE(SUM(Closing), 0) FROM accounting.TrialBalance($(Year) * 100 + 1, $(Year) * 100 + 13) WHERE AccountCode LIKE '[45]%';
EXEC test.Same N'revenues and expenses begin anew', @Earned, 0;
EXEC test.Refused N'DECLARE @l accounting.EntryLineList; INSERT @l (AccountCode, Debit, Credit) VALUES (''1000'', 1, 0), (''1100'', 0, 1);
    EXEC accounting.CreateEntry @l, ''$(Year)0315'', ''MANUAL'', NULL, N''too late''', 51408;
EXEC test.Refused N'UPDATE accounting.Period SET State = ''O'' WHERE FiscalYear = $(Year)', 51410;
EXEC test.RunChecks;
GO
