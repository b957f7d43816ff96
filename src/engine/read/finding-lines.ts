import { readFileSync } from 'fs';
import { Document, Node, YAMLMap, isMap, isScalar, isSeq } from 'yaml';
import { FieldPath, pathOf } from '../../core/manifest/field-path';
import { Finding, FindingObject } from '../../core/rule/finding';
import { documentsOf } from '../../core/yaml/yaml-reader';

/** Adds the lines of files to findings: of the field, or of the existing part of its path, or of the object. */
export function withLines(findings: readonly Finding[]): Finding[] {
  const files = new Map<string, YamlFile>();
  return findings.map((finding) => {
    const { file, object, path } = finding;
    if (file === undefined || object === undefined) { return finding; }
    if (!files.has(file)) { files.set(file, new YamlFile(file)); }
    const line = files.get(file)!.line(object, path);
    return line === undefined ? finding : { ...finding, line };
  });
}

class YamlFile {
  private readonly text: string;
  private readonly documents: readonly Document[];

  public constructor(file: string) {
    this.text = readFileSync(file, 'utf8');
    this.documents = documentsOf(this.text);
  }

  public line(object: FindingObject, path: string): number | undefined {
    const node = this.documents.map(({ contents }) => objectIn(contents, object)).find((found) => found !== undefined);
    return node && this.lineAt(offsetOf(node, pathOf(path)));
  }

  private lineAt(offset: number): number {
    return this.text.slice(0, offset).split('\n').length;
  }
}

/** The object in a document, which may be a list of objects. */
function objectIn(node: unknown, object: FindingObject): YAMLMap | undefined {
  if (!isMap(node)) { return undefined; }
  const items = node.get('items');
  if (isSeq(items) && String(node.get('kind')).endsWith('List')) {
    return items.items.map((item) => objectIn(item, object)).find((found) => found !== undefined);
  }
  const same = node.get('apiVersion') === object.apiVersion && node.get('kind') === object.kind
    && String(node.getIn(['metadata', 'name']) ?? '') === object.name && (node.getIn(['metadata', 'namespace']) ?? undefined) === object.namespace;
  return same ? node : undefined;
}

/** The offset of a field: of its key, as in an editor, or of the last existing step of its path. */
function offsetOf(object: YAMLMap, path: FieldPath): number {
  let offset = object.range![0];
  let node: unknown = object;
  for (const step of path) {
    let begin: Node | undefined;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
      begin = pair?.key as Node | undefined;
      node = pair?.value;
    } else if (isSeq(node)) {
      begin = node.items[Number(step)] as Node | undefined;
      node = begin;
    } else {
      break;
    }
    if (!begin?.range) { break; }
    [offset] = begin.range;
  }
  return offset;
}
