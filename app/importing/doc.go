// Package importing moves the content of other systems into a Project. The parts that all importers share are here;
// each system has a package of its own beside it, and so has a directory of our own files.
//
// A package of a system reads its export as a Source: kinds of entries with suggested definitions, files, and entries
// with their draft and published versions. A Mapping, which people can edit as a file, says which definitions and
// locales these become. Mapped makes the Content of both: definitions, files and lines. An Importer writes a Content:
//
//   - it adds what the Project lacks of the definitions (package core/definition/schema);
//   - it adds the files to the library, those with the same bytes once (files.go);
//   - it checks each line by the definitions, and takes out what has no place (check.go);
//   - it writes the lines through core/transfer, the targets of relations first (write.go), and takes out what a
//     write refuses (reduce.go).
//
// An entry is known by its group, a text of the system, the site, the kind and the old id, which is stored with it:
// importing again changes only what has changed in the source. Entries that a person has changed here since stay.
//
// What is taken out is in the Report, with its value and the reason: what came in is what was written and what is
// listed.
package importing
