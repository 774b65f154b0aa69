-- Installs the shop, in the folder where this lies:
--     sqlcmd -b -i install.sql -v Products=40 Customers=30 AppPassword=…
-- A database Shop that is there already is dropped first.
:on error exit
:r schema/01-database.sql
:r schema/02-reference.sql
:r schema/03-parties-and-products.sql
:r schema/04-stock-and-purchasing.sql
:r schema/05-sales.sql
:r schema/06-accounting-and-staging.sql
:r modules/10-reference.sql
:r modules/20-parties.sql
:r modules/30-catalog.sql
:r modules/40-accounting.sql
:r modules/50-stock.sql
:r modules/60-purchasing.sql
:r modules/70-orders.sql
:r modules/75-invoices.sql
:r modules/80-imports.sql
:r modules/85-reports.sql
:r modules/90-security.sql
:r modules/95-checks.sql
:r modules/97-expectations.sql
:r modules/98-application-login.sql
:r data/01-reference.sql
:r data/02-generator.sql
:r data/03-master.sql
