-- Filtered indexes: which rows they hold, what they keep unique, when they serve a query, and what the catalogue says.
create database filtered;
go
use filtered;
create table dbo.account (id int identity primary key, email varchar(40) null, state char(1) not null default 'a', score decimal(9, 2) null, flag bit null);
create unique index ux_email on dbo.account (email) where email is not null;
create unique nonclustered index ux_active on account (score) include (flag) where [state] = 'a' and score is not null;
create index ix_flag on account (flag) where (flag in (1, 0) and score > 1.5);
go
insert into account (email) values (null), (null), ('a@x'), ('b@x');
insert into account (email, score) values ('c@x', 1), ('d@x', 2.25);
insert into account (email, score, state) values ('e@x', 1, 'z'), ('f@x', 1, 'z');
go
insert into account (email) values ('a@x');
go
insert into account (email, score) values ('g@x', 2.25);
go
-- rows come into an index and leave it
update account set state = 'z' where email = 'c@x';
insert into account (email, score) values ('g@x', 1);
update account set email = null where email = 'a@x';
insert into account (email) values ('a@x');
update account set state = 'a' where email = 'e@x';
go
update account set state = case state when 'a' then 'z' else 'a' end where email in ('e@x', 'g@x');
select email, state from account where score = 1 order by email;
update account set email = 'b@x' where email is null;
go
delete from account where email = 'b@x';
insert into account (email) values ('b@x');
merge account as t using (values ('d@x', 9), ('n@x', 8)) as s (email, score) on s.email = t.email
when matched then update set score = s.score when not matched then insert (email, score) values (s.email, s.score);
select email, score, state from account where email is not null order by email;
select count(*) as n from account where email is null;
select id from account where email = 'd@x';
declare @e varchar(40) = 'n@x';
select score from account where email = @e;
select score from account where state = 'a' and score = 8;
select count(*) as n from account where score = 1;
select flag from account where flag = 1 and score > 1.5;
go
-- built from rows that are there; two rows that are the same
create table dbo.heap (k int, v varchar(10), gone date null);
insert into heap values (1, 'x', null), (1, 'y', '2026-01-01'), (2, 'x', null), (2, 'z', '2026-01-02');
create unique index ux_k on heap (k) where gone is null;
go
create unique index ux_v on heap (v) where v <> 'q';
go
insert into heap values (1, 'new', null);
go
insert into heap values (1, 'new', '2026-02-02'), (3, 'new', null);
alter index ux_k on heap rebuild;
alter index all on account rebuild;
dbcc checkdb (filtered) with no_infomsgs;
create table dbo.inlined (a int, b int, index ux unique (a) where b is not null);
insert into inlined values (1, null), (1, null), (1, 1);
go
insert into inlined values (1, 2);
go
select name, is_unique, has_filter, filter_definition from sys.indexes where object_id in (object_id('account'), object_id('heap'), object_id('inlined')) and type = 2 order by name;
select i.name, ic.key_ordinal, ic.is_included_column, col_name(ic.object_id, ic.column_id) as c from sys.index_columns ic
join sys.indexes i on i.object_id = ic.object_id and i.index_id = ic.index_id where i.name = 'ux_active' order by index_column_id;
go
-- refusals
create index ix_bad on account (email) where email like 'a%';
go
create index ix_bad on account (email) where email = state;
go
create index ix_bad on account (email) where nothing is null;
go
create index ix_bad on account (email) where score = 'abc';
go
create clustered index ix_bad on heap (k) where k > 1;
go
alter table account drop column state;
go
exec sp_rename 'account.state', 'status', 'COLUMN';
go
create table dbo.child (email varchar(40) references dbo.account (email));
go
begin tran;
delete from account;
insert into account (email) values ('b@x'), (null);
rollback;
dbcc checktable ('account') with no_infomsgs;
drop index ux_email on account;
use master;
drop database filtered;
