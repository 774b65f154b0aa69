-- GOTO goes out of TRY and CATCH, and into none.
--@ source: message 1026
GOTO inside
BEGIN TRY
    inside: PRINT 'never'
END TRY
BEGIN CATCH
END CATCH
GO
--@ source: message 1026
BEGIN TRY
    GOTO inside
END TRY
BEGIN CATCH
    inside: PRINT 'never'
END CATCH
GO
--@ source: documentation GOTO
BEGIN TRY
    GOTO there
    PRINT 'never'
    there: PRINT 'there'
    GOTO behind
END TRY
BEGIN CATCH
    PRINT 'never'
END CATCH
PRINT 'never'
behind: PRINT 'behind'
GO
