// Finds functions whose result React calls as a clean-up although they do not mean to return one.
import ts from 'typescript';

/**
 * Returns the places, such as "src/page.tsx:12", of functions that may return something else than
 * nothing or a function where the receiver calls what they return: effects and refs. A result of the
 * type void counts, too: scrollIntoView has this type, and returns a promise in newer browsers.
 *
 * @param {ts.Program} program
 * @returns {string[]}
 */
export function strayResults(program) {
  const checker = program.getTypeChecker();
  /** @type {Set<string>} */
  const places = new Set();

  /** The alternatives of a type. @type {(type: ts.Type) => ts.Type[]} */
  const parts = (type) => (type.isUnion() ? type.types : [type]);
  /** Whether functions of this type may return a function that is called later, or nothing. @type {(type: ts.Type) => boolean} */
  const takesCleanUp = (type) =>
    parts(type).some((part) =>
      part.getCallSignatures().some((signature) => {
        const results = parts(signature.getReturnType());
        return results.some((one) => one.flags & ts.TypeFlags.Void) && results.some((one) => one.getCallSignatures().length > 0);
      }),
    );
  /** @type {(type: ts.Type) => boolean} */
  const isMeant = (type) => parts(type).every((part) => part.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never) || part.getCallSignatures().length > 0);

  /** @type {(result: ts.Expression) => void} */
  const judge = (result) => {
    if (ts.isParenthesizedExpression(result)) return judge(result.expression);
    if (ts.isConditionalExpression(result)) return void [result.whenTrue, result.whenFalse].forEach(judge);
    if (isMeant(checker.getTypeAtLocation(result))) return;
    const file = result.getSourceFile();
    places.add(`${file.fileName}:${file.getLineAndCharacterOfPosition(result.getStart()).line + 1}`);
  };
  /** Judges what a function of the sources returns. @type {(node: ts.Node | undefined) => void} */
  const judgeFunction = (node) => {
    if (!node) return;
    if (ts.isCallExpression(node)) return node.arguments.slice(0, 1).forEach(judgeFunction); // useCallback
    if (ts.isVariableDeclaration(node)) return judgeFunction(node.initializer);
    if (ts.isIdentifier(node)) return judgeFunction(checker.getSymbolAtLocation(node)?.valueDeclaration);
    if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node) && !ts.isFunctionDeclaration(node)) return;
    if (!node.body || node.getSourceFile().isDeclarationFile) return;
    if (!ts.isBlock(node.body)) return judge(node.body);
    /** @type {(inner: ts.Node) => void} */
    const returns = (inner) => {
      if (ts.isFunctionLike(inner)) return;
      if (ts.isReturnStatement(inner) && inner.expression) judge(inner.expression);
      ts.forEachChild(inner, returns);
    };
    ts.forEachChild(node.body, returns);
  };
  /** @type {(node: ts.Node) => void} */
  const visit = (node) => {
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isIdentifier(node) || ts.isCallExpression(node)) {
      const { parent } = node;
      if ((ts.isCallExpression(parent) && parent.expression !== node) || (ts.isJsxExpression(parent) && ts.isJsxAttribute(parent.parent))) {
        const type = checker.getContextualType(node);
        if (type && takesCleanUp(type)) judgeFunction(node);
      }
    }
    ts.forEachChild(node, visit);
  };
  for (const source of program.getSourceFiles()) if (!source.isDeclarationFile) visit(source);
  return [...places];
}
