// Package sqldb is the way to a SQL database that the repositories of package sqlstore have in common. It knows none of
// them.
//
// Packages postgres and sqlite implement [Dialect], the SQL that differs, [Session], a connection with a transaction, and
// [Hot], the frequent reads outside one. A [DB] has them with their [Pools]. A [Conn] runs statements on the pools or in
// one transaction, which commits together with others where the engine has one writer.
//
// Statements are texts, which stay prepared, and contain no values; text.go gives numbers to the places of their
// arguments. They have three forms:
//
//   - lists of columns, for tables whose rows are types of core: [TableOf] makes the statements from them.
//   - texts, for the rest: [Collect], [Single] and [Value] read, [Conn.Do] and [Conn.Must] write.
//   - lists of [Statement], for the writes of entries: [Conn.Run] sends them in one round trip. [Added], [Conn.Changed] and
//     [Conn.Removed] return those for rows.
//
// A transaction records its events ([Conn.Record]) and what its stores keep ([KeptOf]), and ends with the statements of
// [Last]. Errors of drivers become core.Error ([DB.Fault]).
package sqldb
