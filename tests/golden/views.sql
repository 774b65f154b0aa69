-- Views: CREATE, ALTER, DROP; what they show, and what the catalogue shows of them.
create database viewed;
go
use viewed;
create table dbo.customer (id int identity primary key, name nvarchar(40) not null, city varchar(20), credit decimal(9, 2) not null default 0);
create table dbo.purchase (id int primary key, customer_id int not null, amount money not null, at date);
insert into dbo.customer (name, city, credit) values (N'Ann', 'Oslo', 10), (N'Bob', 'Rome', 20.5), (N'Cid', null, 0);
insert into dbo.purchase values (1, 1, 5, '2026-01-02'), (2, 1, 7.5, '2026-02-03'), (3, 2, 100, null);
go
create view dbo.v_customer as
select id, name, city
from dbo.customer;
go
create view dbo.v_total (customer, purchases, total) as
select c.name, count(p.id), sum(p.amount)
from dbo.customer c left join dbo.purchase p on p.customer_id = c.id
group by c.name;
go
select * from dbo.v_customer order by id;
select v.name, t.* from v_customer v join v_total as t on t.customer = v.name where v.id < 3 order by v.id desc;
select dbo.v_customer.name from dbo.v_customer where dbo.v_customer.city = 'Rome';
select name from viewed.dbo.v_customer with (nolock) where id in (select customer_id from dbo.purchase) order by 1;
go
-- of another view, with a common table expression, UNION, TOP with ORDER BY
create view v_rich as
with big as (select customer, total from v_total where total > 10)
select customer, total, 'rich' as kind from big
union all
select name, null, 'none' from v_customer where id not in (select customer_id from purchase);
go
create view v_first as select top (1) with ties * from dbo.purchase order by customer_id;
go
select * from v_rich order by 1;
select * from v_first;
select kind, count(*) as n from v_rich group by kind order by kind;
declare @c varchar(20) = 'Oslo';
select name from v_customer where city = @c;
go
-- conditions from outside: on columns and on what is computed, through two views, an outer join, APPLY, expressions in between
create table dbo.many (id int primary key, g int, v varchar(10), index ix_g (g));
with n as (select 1 as x union all select x + 1 from n where x < 90) insert dbo.many select x, x % 10, 'v' + cast(x % 7 as varchar(5)) from n;
go
create view v_many as select id, g, g + 1 as next, v from many where v <> 'v3';
go
create view v_pairs as select a.id as a, b.id as b, b.next from v_many a left join v_many b on b.g = a.g and b.id = a.id + 10;
go
select id, next from v_many where g = 4 and next = 5 and id < 30 order by id;
select * from v_pairs where a in (4, 8) and (next > 3 or next is null) order by a;
select count(*) as n from v_pairs p join v_pairs q on q.a = p.b where p.a between 5 and 20 and q.b is not null;
select m.id, k.next from many m outer apply (select next from v_many v where v.id = m.id and v.g < 4) k where m.id < 5 and k.next is null;
select d.id, (select count(*) from v_many where v_many.g = d.g) as n from (select id, g, g * 2 as h from many) d where d.id in (5, 6) and d.h > 11;
select x.id, x.other from (select id, id as other from many) x where x.id = 3 and x.other = 3;
with c as (select id, g from many), d as (select id, g from c where g = 7) select count(*) as n from d join c on c.id = d.id where c.id < 50;
select p.id, q.g from many p left join v_many q on q.id = p.id and q.g = 3 where p.id in (3, 4, 13);
go
drop view v_pairs, v_many;
drop table many;
go
-- names within a view do not see the statement
with customer as (select 1 as id) select v.id, customer.id as other from v_customer v, customer where v.id = 1;
go
-- SELECT * keeps its columns
create view v_star as select * from dbo.purchase;
go
alter table dbo.purchase add note varchar(10) null;
go
select * from v_star where id = 1;
exec sp_refreshview 'v_star';
select * from v_star where id = 1;
alter table dbo.purchase drop column note;
go
select * from v_star;
go
exec sp_refreshview 'dbo.v_star';
select * from v_star where id = 1;
go
-- ALTER, CREATE OR ALTER
alter view v_customer as select id, upper(name) as name, credit * 2 as twice from customer;
go
select * from v_customer where id = 2;
go
create or alter view v_customer as select id, name from customer;
go
create or alter view v_new as select 1 as one, null as nothing, N'x' as x;
go
select * from v_new;
select * from v_customer where id = 2;
go
-- the catalogue
select name, type, type_desc, with_check_option from sys.views order by name;
select c.name, c.column_id, t.name as type, c.is_nullable from sys.columns c join sys.types t on t.user_type_id = c.user_type_id
where object_id = object_id('v_total') order by column_id;
select table_schema, table_name, table_type from information_schema.tables order by table_name;
select table_name, view_definition, check_option, is_updatable from information_schema.views where table_name = 'v_customer';
select column_name, data_type, is_nullable from information_schema.columns where table_name = 'v_customer' order by ordinal_position;
exec sp_helptext 'v_total';
select object_definition(object_id('v_new')) as definition, objectproperty(object_id('v_new'), 'IsView') as is_view,
    objectproperty(object_id('v_new'), 'ExecIsQuotedIdentOn') as quoted, col_name(object_id('v_new'), 2) as second,
    columnproperty(object_id('v_customer'), 'name', 'AllowsNull') as nullable, object_id('v_new', 'V') - object_id('v_new') as same;
exec sp_tables 'v%', 'dbo', null, "'VIEW'";
exec sp_columns 'v_customer';
go
-- a schema of its own
create schema shop;
go
create table shop.thing (id int);
insert into shop.thing values (7);
go
create view shop.v_thing as select id from thing;
go
select * from shop.v_thing;
drop schema shop;
go
-- rolled back
begin tran;
go
create view v_gone as select 1 as a;
go
select * from v_gone;
rollback;
select * from v_gone;
go
-- errors
create view v_bad as select id, id from customer;
go
create view v_bad as select id + 1 from customer;
go
create view v_bad (a) as select id, name from customer;
go
create view v_bad (a, b, c) as select id, name from customer;
go
create view v_bad as select * from no_such_table;
go
create view v_bad as select id from customer order by id;
go
create view v_bad as
select id, nothing
from customer;
go
create view v_bad as select @x as x;
go
create view #v as select 1 as a;
go
create table #t (a int);
go
create view v_bad as select a from #t;
go
create view viewed.dbo.v_bad as select 1 as a;
go
create view v_bad as select id into other from customer;
go
create view v_new as select 2 as b;
go
alter view v_missing as select 2 as b;
go
alter view v_customer as select * from v_customer;
go
alter view v_first as select * from v_star union select id, id, id, null from v_customer;
go
alter view v_star as select * from v_first;
go
create view v_bound with schemabinding as select id from customer;
go
create view v_enc with recompile as select id from dbo.customer;
go
select 1; create view v_late as select 1 as a;
go
create view v_late as select 1 as a; select 2;
go
insert into v_customer (name) values (N'Dan');
go
update v_customer set name = N'Eve';
go
delete from v_customer where id = 1;
go
drop table v_customer;
go
drop view customer;
go
drop view v_nothing;
go
drop view if exists v_nothing, v_rich;
drop table purchase;
go
select * from v_star;
go
select * from v_first;
go
begin try
    exec ('select * from v_star');
end try
begin catch
    select error_number() as n, error_message() as m;
end catch;
go
drop view v_first, v_star, v_total, v_customer, v_new;
select count(*) as n from sys.views;
go
use master;
drop database viewed;
