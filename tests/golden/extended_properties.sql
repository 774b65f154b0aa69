-- Extended properties: what they hang on, and that they go with it.
create database described;
go
use described;
create table dbo.t (id int primary key, name varchar(10) constraint ck_name check (name <> ''), constraint uq unique (name));
create index ix on t (name);
go
create view v as select id from t;
go
exec sp_addextendedproperty N'MS_Description', N'the database';
exec sp_addextendedproperty 'MS_Description', 'a table', 'SCHEMA', 'dbo', 'TABLE', 't';
exec sys.sp_addextendedproperty @name = N'MS_Description', @value = N'its name', @level0type = N'Schema', @level0name = dbo, @level1type = N'Table', @level1name = [t], @level2type = N'Column', @level2name = [name];
exec sp_addextendedproperty 'version', 7, 'SCHEMA', 'dbo', 'VIEW', 'v';
exec sp_addextendedproperty 'MS_Description', 'an index', 'USER', 'dbo', 'TABLE', 't', 'INDEX', 'ix';
exec sp_addextendedproperty 'MS_Description', 'never empty', 'SCHEMA', 'dbo', 'TABLE', 't', 'CONSTRAINT', 'ck_name';
exec sp_addextendedproperty 'empty', null, 'SCHEMA', 'dbo';
go
select class, class_desc, coalesce(object_name(major_id), schema_name(major_id)) as on_what, minor_id, name, cast(value as nvarchar(40)) as value from sys.extended_properties where class < 7;
select class_desc, minor_id, name, value from sys.extended_properties where class = 7;
select objtype, objname, name, cast(value as nvarchar(40)) as value from fn_listextendedproperty(null, null, null, null, null, null, null);
select objtype, objname, name, cast(value as nvarchar(40)) as value from sys.fn_listextendedproperty(N'MS_Description', N'Schema', N'dbo', N'Table', N't', default, default);
select objtype, objname, cast(value as nvarchar(40)) as value from fn_listextendedproperty(null, 'schema', 'dbo', 'table', 't', 'column', null);
select objtype, objname, sql_variant_property(value, 'BaseType') as type from fn_listextendedproperty(null, 'schema', 'dbo', 'view', null, null, null);
select objtype, objname, name from fn_listextendedproperty(null, 'schema', null, null, null, null, null);
go
exec sp_addextendedproperty 'MS_Description', 'again', 'SCHEMA', 'dbo', 'TABLE', 't';
go
exec sp_updateextendedproperty 'MS_Description', 'a better table', 'SCHEMA', 'dbo', 'TABLE', 't';
begin tran;
exec sp_dropextendedproperty 'MS_Description', 'SCHEMA', 'dbo', 'TABLE', 't';
select count(*) as n from fn_listextendedproperty(null, 'schema', 'dbo', 'table', 't', null, null);
rollback;
select value from fn_listextendedproperty(null, 'schema', 'dbo', 'table', 't', null, null);
exec sp_dropextendedproperty @name = 'MS_Description', @level0type = 'SCHEMA', @level0name = 'dbo', @level1type = 'TABLE', @level1name = 't';
go
exec sp_dropextendedproperty 'MS_Description', 'SCHEMA', 'dbo', 'TABLE', 't';
go
exec sp_updateextendedproperty 'other', 'x', 'SCHEMA', 'dbo', 'TABLE', 't', 'COLUMN', 'name';
go
exec sp_addextendedproperty 'a', 'b', 'SCHEMA', 'dbo', 'TABLE', 'missing';
go
exec sp_addextendedproperty 'a', 'b', 'SCHEMA', 'dbo', 'TABLE', 't', 'COLUMN', 'missing';
go
exec sp_addextendedproperty 'a', 'b', 'SCHEMA', 'dbo', 'FUNCTION', 'f';
go
exec sp_addextendedproperty 'a', 'b', 'TABLE', 't';
go
--@ source: message 15097
declare @long varchar(8000) = replicate('x', 7501);
exec sp_addextendedproperty 'long', @long, 'SCHEMA', 'dbo', 'TABLE', 't';
go
--@ source: documentation sp-addextendedproperty
declare @long nvarchar(4000) = replicate(N'x', 3750);
exec sp_addextendedproperty 'long', @long, 'SCHEMA', 'dbo', 'TABLE', 't';
select datalength(value) as bytes from fn_listextendedproperty('long', 'schema', 'dbo', 'table', 't', null, null);
go
--@ source: message 15097
declare @long nvarchar(4000) = replicate(N'x', 3751);
exec sp_updateextendedproperty 'long', @long, 'SCHEMA', 'dbo', 'TABLE', 't';
go
--@ source: reasoned
exec sp_dropextendedproperty 'long', 'SCHEMA', 'dbo', 'TABLE', 't';
go
drop index ix on t;
alter table t drop constraint uq, ck_name;
alter table t drop column name;
drop view v;
select class_desc, name from sys.extended_properties;
drop table t;
use master;
drop database described;
