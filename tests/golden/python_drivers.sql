-- What Python's drivers and SQLAlchemy send.
create database pydrivers;
go
use pydrivers;
create table dbo.parent (id int not null primary key, name varchar(20));
go
-- foreign keys of a table, as SQLAlchemy asks for them: a union ordered by columns of its first SELECT
with fk_info as (
    select c.constraint_schema, c.constraint_name, k.ordinal_position, k.column_name as constrained_column
    from INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS c
    join INFORMATION_SCHEMA.KEY_COLUMN_USAGE k on k.constraint_name = c.constraint_name
), key_info as (
    select constraint_schema, table_name as constraint_name, ordinal_position, column_name from INFORMATION_SCHEMA.KEY_COLUMN_USAGE
)
select fk_info.constraint_schema, fk_info.constraint_name, fk_info.ordinal_position, fk_info.constrained_column from fk_info
union
select key_info.constraint_schema, key_info.constraint_name, key_info.ordinal_position, key_info.column_name from key_info
order by fk_info.constraint_schema, fk_info.constraint_name, fk_info.ordinal_position;
select a.n as x, a.k as y from (values (1, 9), (2, 8)) as a (n, k) union all select 3, 7 order by a.k;
go
select a.n as x from (values (1)) as a (n) union all select 3 order by a.k;
go
select name from sys.system_views where name = 'databases';
go
-- application locks
declare @r int;
exec @r = sp_getapplock @Resource = 'job', @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 1000;
select @r as granted;
exec @r = sp_getapplock N'job', 'Shared', 'Session';
select @r as again;
exec sp_getapplock 'Job', 'IntentShared', 'Session';
select resource_type, request_mode, request_owner_type, request_status from sys.dm_tran_locks
where request_session_id = @@spid and resource_type = 'APPLICATION' order by request_mode;
-- the transaction is another owner: it does not get what its session has
begin tran;
exec @r = sp_getapplock @Resource = 'job', @LockMode = 'Shared', @LockTimeout = 0;
select @r as timed_out, @@trancount as open_transactions;
exec @r = sp_getapplock @Resource = 'other', @LockMode = 'Update';
select @r as granted;
exec sp_releaseapplock 'other';
exec sp_releaseapplock 'other';
exec sp_getapplock @Resource = 'other', @LockMode = 'Update';
commit;
select request_mode from sys.dm_tran_locks where request_session_id = @@spid and resource_type = 'APPLICATION' order by 1;
-- as many times as it was asked for
exec @r = sp_releaseapplock 'job', 'Session';
select @r as released;
exec sp_releaseapplock 'job', 'Session';
exec sp_releaseapplock 'job', 'Session';
exec sp_releaseapplock 'Job', 'Session';
select count(*) as held from sys.dm_tran_locks where request_session_id = @@spid and resource_type = 'APPLICATION';
go
exec sp_getapplock 'x', 'Shared';
go
exec sp_getapplock 'x', 'Much', 'Session';
go
exec sp_getapplock 'x', 'Shared', 'Me';
go
exec sp_getapplock '', 'Shared', 'Session';
go
exec sp_getapplock 'x', 'Shared', 'Session', -2;
go
-- text, ntext and image: names of old for (max) types
create table dbo.old (id int identity primary key, t text, n ntext null, i image, m varchar(max));
insert into dbo.old (t, n, i, m) values ('some text', N'some ntext', 0x010203, 'max');
update dbo.old set t = cast(t as varchar(max)) + ' more' where n like N'some%';
select * from dbo.old;
select datalength(t) as dt, datalength(n) as dn, datalength(i) as di from dbo.old where t is not null;
select c.name, y.name as type, c.system_type_id, c.user_type_id, c.max_length from sys.columns c
join sys.types y on y.user_type_id = c.user_type_id where c.object_id = object_id('dbo.old') order by c.column_id;
select COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, CHARACTER_OCTET_LENGTH from INFORMATION_SCHEMA.COLUMNS
where TABLE_NAME = 'old' order by ORDINAL_POSITION;
alter table dbo.old alter column t varchar(max);
alter table dbo.old add more ntext;
select name, system_type_id from sys.columns where object_id = object_id('dbo.old') and name in ('t', 'more') order by name;
go
create procedure dbo.echo @a text, @b ntext = null as select @a as a, datalength(@b) as b;
go
exec dbo.echo 'x', N'yz';
select cast(0x41 as image) as i, convert(ntext, 'n') as n;
go
declare @t text;
go
create table dbo.keyed (t text primary key);
go
use master;
drop database pydrivers;
go
