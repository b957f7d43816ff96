import { isRecord } from '../../core/manifest/manifest';
import { partsOf } from '../../core/yaml/yaml-reader';

/** The first line of each object in a file, from 1: by the number of its document, and its place among the objects of the document. */
export class ObjectLines {
  private readonly parts: readonly { readonly text: string; readonly line: number }[];
  private readonly items = new Map<number, readonly number[]>();

  /** @param documents what the parser made of the text */
  public constructor(text: string, private readonly documents: readonly unknown[]) {
    const parts = [...partsOf(text)];
    // a text with directives has several documents in a part
    this.parts = parts.length === documents.length ? parts : [];
  }

  /**
   * The line of an object.
   *
   * @param document from 1
   * @param place among the objects of the document, from 0
   */
  public of(document: number, place: number): number {
    const part = this.parts.at(document - 1);
    if (!part) { return 1; }
    let items = this.items.get(document);
    if (!items) { this.items.set(document, items = this.linesIn(part.text, this.documents[document - 1])); }
    return part.line + (items[place] ?? items[0] ?? 0) + 1;
  }

  /** The lines on which the objects of a document begin, from 0; that of the document where they are not known. */
  private linesIn(text: string, value: unknown): readonly number[] {
    const lines = text.split('\n');
    const first = Math.max(0, lines.findIndex((line) => /^(?!---\s*(#|$))\s*[^\s#]/.test(line)));
    const count = isRecord(value) && Array.isArray(value.items) ? value.items.length : 0;
    if (count === 0) { return [first]; }
    // as kubectl prints lists: the items with the least indentation behind `items:`
    const start = lines.findIndex((line) => /^items:\s*$/.test(line));
    const found = lines.flatMap((line, index) => {
      const indent = index > start ? /^( *)- /.exec(line)?.[1].length : undefined;
      return indent === undefined ? [] : [{ index, indent }];
    });
    const least = Math.min(...found.map(({ indent }) => indent));
    const begins = found.filter(({ indent }) => indent === least).map(({ index }) => index);
    return start >= 0 && begins.length === count ? begins : [first];
  }
}
