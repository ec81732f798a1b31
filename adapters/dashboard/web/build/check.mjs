// Checks the types of the sources, that each text of the catalogue is used, and what effects return.
// All need the same analysis of the program, which takes most of the time.
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { strayResults } from './effects.mjs';

/**
 * Returns the texts of a catalogue that the other sources of a program do not use, such as
 * "inbox.row.late". The exports of a catalogue are objects of texts, functions, and such objects. A
 * text is used where a source reads the property by its name or by a key that can have its name, or
 * gives the object to a receiver that has such a property.
 *
 * @param {ts.Program} program
 * @param {string} catalogue the path of the file
 * @returns {string[]}
 */
export function unusedTexts(program, catalogue) {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(catalogue);
  if (!file) throw new Error(`there is no ${catalogue}`);
  /** @type {Map<ts.Node, string>} */
  const texts = new Map(); // declarations with their paths
  /** @type {Set<ts.Node>} */
  const used = new Set();
  /** @type {Set<string>} */
  const names = new Set();

  /** @type {(value: ts.Expression | undefined, path: string) => boolean} */
  const declare = (value, path) => {
    while (value && ts.isSatisfiesExpression(value)) value = value.expression;
    if (!value || !ts.isObjectLiteralExpression(value)) return false;
    for (const member of value.properties) {
      const name = member.name && (ts.isIdentifier(member.name) || ts.isStringLiteral(member.name)) ? member.name.text : '';
      names.add(name);
      if (!(ts.isPropertyAssignment(member) && declare(member.initializer, `${path}.${name}`))) texts.set(member, `${path}.${name}`);
    }
    return true;
  };
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement) || !statement.modifiers?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) declare(initializer, name.getText());
  }

  /** @type {(symbol: ts.Symbol | undefined) => void} */
  const use = (symbol) => symbol?.declarations?.forEach((declaration) => used.add(declaration));
  /** @type {(node: ts.Expression) => void} */
  const useAs = (node) => {
    const expected = checker.getContextualType(node);
    if (!expected) return;
    for (const property of checker.getTypeAtLocation(node).getProperties()) {
      if (!property.declarations?.some((declaration) => texts.has(declaration))) continue;
      // If the receiver has the type of the catalogue, what it reads is seen there.
      const received = expected.getProperty(property.name);
      if (received ? !received.declarations?.some((declaration) => texts.has(declaration)) : expected.getStringIndexType()) use(property);
    }
  };
  /** @type {(node: ts.Node) => void} */
  const visit = (node) => {
    if (ts.isPropertyAccessExpression(node) && names.has(node.name.text)) {
      use(checker.getSymbolAtLocation(node.name));
    } else if (ts.isElementAccessExpression(node)) {
      const type = checker.getTypeAtLocation(node.expression);
      const key = checker.getTypeAtLocation(node.argumentExpression);
      const keys = key.isUnion() ? key.types : [key];
      if (keys.every((one) => one.isStringLiteral())) keys.forEach((one) => use(type.getProperty(one.value)));
      else type.getProperties().forEach(use);
    } else if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
      const name = (node.propertyName ?? node.name).getText();
      if (names.has(name)) use(checker.getTypeAtLocation(node.parent).getProperty(name));
    }
    if (ts.isExpression(node) && isGiven(node)) useAs(node);
    ts.forEachChild(node, visit);
  };
  for (const source of program.getSourceFiles()) {
    if (source !== file && !source.isDeclarationFile) visit(source);
  }
  return [...texts].filter(([declaration]) => !used.has(declaration)).map(([, path]) => path);
}

/**
 * Whether the receiver of a value has a type of its own: an argument of a call or a variable with a type.
 * @param {ts.Expression} node
 */
function isGiven(node) {
  const { parent } = node;
  return (ts.isCallExpression(parent) && parent.expression !== node) || (ts.isVariableDeclaration(parent) && parent.type !== undefined);
}

/** @returns {number} how many faults there are */
function check() {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const program = ts.createProgram(fileNames, options);
  const faults = [...errors, ...ts.getPreEmitDiagnostics(program)];
  const host = { getCanonicalFileName: (/** @type {string} */ name) => name, getCurrentDirectory: () => process.cwd(), getNewLine: () => '\n' };
  if (faults.length > 0) console.error(ts.formatDiagnostics(faults, host));
  const unused = unusedTexts(program, resolve('src/texts/en.ts'));
  if (unused.length > 0) console.error(`src/texts/en.ts has texts that no source uses:\n  ${unused.join('\n  ')}`);
  const stray = strayResults(program).map((place) => relative('.', place));
  if (stray.length > 0) console.error(`effects and refs return what is no clean-up; write a block, or void:\n  ${stray.join('\n  ')}`);
  return faults.length + unused.length + stray.length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(check() > 0 ? 1 : 0);
