-- Closes the months of a year up to $(Period); a second closer hears that somebody else is at it.
USE Shop;
GO
SET NOCOUNT ON;
DECLARE @Period int;
DECLARE Months CURSOR LOCAL FORWARD_ONLY STATIC FOR
    SELECT PeriodId FROM accounting.Period WHERE State = 'O' AND Number <= 12 AND PeriodId <= $(Period) ORDER BY PeriodId;
OPEN Months;
FETCH NEXT FROM Months INTO @Period;
WHILE @@FETCH_STATUS = 0
BEGIN
    EXEC accounting.ClosePeriod @Period;
    FETCH NEXT FROM Months INTO @Period;
END;
CLOSE Months;
DEALLOCATE Months;
SELECT State, COUNT(*) AS Periods FROM accounting.Period GROUP BY State ORDER BY State;
GO
