import { relative } from 'path';
import { factsOf, targetKindOf } from './facts';
import { withoutSecretValues } from './hidden-secrets';
import { FolderOutput, outputOf } from './not-objects';
import { TargetKind } from '../../core/construct/target';
import { FoundObject, FoundCluster } from '../../core/draft/draft';
import {
  isNameGenerated,
  isRecord,
  Manifest,
  objectKey,
  objectLabel,
  valueAt,
  itemsAt,
} from '../../core/manifest/manifest';
import { UnfitFile } from '../../core/output/regular-file';
import { isEncrypted } from '../../core/sops/sops';
import { plainText } from '../../core/text/plain-text';
import { NoYaml, yamlParts } from '../../core/yaml/yaml-reader';
import { NotDecrypted } from '../../engine/files/decrypt';
import { documentsIn, manifestsOfDocuments, notJudgedIn } from '../../engine/files/documents';
import { FileReader, findFiles, ReadOptions } from '../../engine/files/find-files';
import {
  IS_KUSTOMIZATION,
  IS_TEMPLATE,
  isKustomization,
  isTemplate,
  isYtt,
  partFiles,
  placeholderIn,
  ReadFile,
  RENDERED_BY,
} from '../../engine/files/repository-files';

/** A folder with the objects of a cluster. */
export interface FolderSource extends ReadOptions {
  /** The name of its target. */
  readonly name: string;
  /** A folder, or a file. */
  readonly folder: string;
  /** The kind of the cluster. @default - by the kinds of its objects */
  readonly kind?: TargetKind;
}

/**
 * Reads the objects of a cluster from YAML and JSON files: a GitOps repository, the output of
 * `kubectl get -o yaml`, or an output of this library.
 */
export function readFolder(source: FolderSource): FoundCluster {
  const { name, folder, kind: given } = source;
  const output = outputOf(folder);
  const reading = new FolderReading(source, output);
  const { objects, unread } = reading.run();
  const kind = given ?? output.kind ?? targetKindOf(objects, folder);
  return { name, kind, ...output.facts, ...factsOf(kind, objects), objects, unread };
}

const FILL_IN = 'Fix: fill it in, and adopt the output';
const TEMPLATE = `${IS_TEMPLATE}. ${FILL_IN}`;

/** What to do with what a command makes objects of. */
function runFix(command: string): string {
  return `Fix: run ${command}, and adopt its output`;
}

/**
 * Whether a document that cannot be decrypted shows what is read of it: the values of a Secret are
 * not.
 */
function isReadable(document: unknown): boolean {
  if (!isEncrypted(document)) {
    return true;
  }
  const isNamed = !String(valueAt(document, 'metadata', 'name')).startsWith('ENC[');
  return (
    valueAt(document, 'kind') === 'Secret' && valueAt(document, 'apiVersion') === 'v1' && isNamed
  );
}

function withoutSops(document: unknown): unknown {
  if (!isRecord(document)) {
    return document;
  }
  const { sops: _, ...rest } = document;
  return rest;
}

class FolderReading {
  private readonly unread: { kind: string; reason: string }[] = [];
  private readonly objects = new Map<string, FoundObject>();

  public constructor(
    private readonly source: FolderSource,
    private readonly output: FolderOutput,
  ) {}

  public run(): {
    readonly objects: readonly FoundObject[];
    readonly unread: FoundCluster['unread'];
  } {
    const { folder } = this.source;
    const { files, skipped, charts } = findFiles(folder, this.source);
    for (const chart of charts) {
      const place = relative(folder, chart.folder) || '.';
      for (const file of chart.files) {
        this.skip(file, `belongs to the Helm chart in ${place}. ${runFix(RENDERED_BY.CHART)}`);
      }
    }
    for (const { file, message, fix } of skipped) {
      this.skip(file, `${message}. Fix: ${fix}`);
    }
    const reader = new FileReader(this.source);
    const read = files.flatMap((file) => this.read(file, reader));
    const patches = partFiles(read.filter(({ file }) => isKustomization(file)));
    for (const each of read) {
      const what = isKustomization(each.file) ? IS_KUSTOMIZATION : patches.get(each.file);
      if (what === undefined) {
        this.take(each);
      } else {
        this.skip(each.file, `${what}. ${runFix(RENDERED_BY.KUSTOMIZATION)}`);
      }
    }
    for (const manifest of this.output.objects) {
      this.add(manifest, this.output.file);
    }
    return { objects: [...this.objects.values()], unread: [...this.unread, ...this.output.unread] };
  }

  private read(file: string, reader: FileReader): ReadFile[] {
    let text = '';
    try {
      const bytes = reader.read(file);
      text = new TextDecoder().decode(bytes);
      const documents = documentsIn(bytes);
      if (!isYtt(text)) {
        return [{ file, text, documents }];
      }
      this.skip(file, TEMPLATE);
      return [];
    } catch (error) {
      if (error instanceof NoYaml) {
        this.skip(
          file,
          isTemplate(text)
            ? TEMPLATE
            : `is not valid YAML: ${error.message}. Fix: correct the file, or leave it out`,
        );
      } else if (error instanceof NotDecrypted && error.documents.every(isReadable)) {
        return [{ file, text, documents: error.documents.map(withoutSops) }];
      } else if (error instanceof NotDecrypted || error instanceof UnfitFile) {
        this.skip(file, error.message);
      } else if (file !== this.source.folder) {
        this.skip(file, 'cannot be read. Fix: correct the file or the link, or leave it out');
      } else {
        throw error;
      }
      return [];
    }
  }

  private take({ file, text, documents }: ReadFile): void {
    const lines = new ObjectLines(text, documents);
    const places = new Map<number, number>();
    for (const { place, message } of notJudgedIn(documents)) {
      this.skip(file, `${place} is not an object: ${message}`);
    }
    for (const {
      manifest,
      document,
      malformed: [problem],
    } of manifestsOfDocuments(documents)) {
      const place = places.get(document) ?? 0;
      places.set(document, place + 1);
      const from = `${plainText(file)}:${lines.of(document, place)}`;
      if (problem || isNameGenerated(manifest)) {
        this.unread.push({
          kind: from,
          reason: problem
            ? `${problem.path} ${problem.message}. Fix: ${problem.fix}`
            : `${manifest.kind} has generateName: the server chooses its name. Fix: adopt it from the cluster`,
        });
        continue;
      }
      const placeholder = placeholderIn(manifest);
      if (placeholder !== undefined) {
        this.unread.push({
          kind: from,
          reason: `${manifest.kind} has the placeholder ${plainText(placeholder)} in place of a name. ${FILL_IN}`,
        });
        continue;
      }
      this.add(manifest, from);
    }
  }

  private add(manifest: Manifest, from: string): void {
    const key = objectKey(manifest);
    const other = this.objects.get(key);
    if (other) {
      this.unread.push({
        kind: from,
        reason: `${objectLabel(manifest)} is also in ${other.from}, which is used. Fix: leave one of them out`,
      });
    } else {
      this.objects.set(key, {
        target: this.source.name,
        manifest: withoutSecretValues(manifest),
        from,
      });
    }
  }

  private skip(file: string, reason: string): void {
    this.unread.push({ kind: plainText(file), reason });
  }
}

/**
 * The first line of each object in a file, from 1: by the number of its document, and its place
 * among the objects of the document.
 */
export class ObjectLines {
  private readonly parts: readonly { readonly text: string; readonly line: number }[];
  private readonly items = new Map<number, readonly number[]>();

  /** @param documents what the parser made of the text */
  public constructor(
    text: string,
    private readonly documents: readonly unknown[],
  ) {
    const parts = [...yamlParts(text)];
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
    if (!part) {
      return 1;
    }
    let items = this.items.get(document);
    if (!items) {
      this.items.set(document, (items = this.linesIn(part.text, this.documents[document - 1])));
    }
    return part.line + (items[place] ?? items[0] ?? 0) + 1;
  }

  /**
   * The lines on which the objects of a document begin, from 0; that of the document where they are
   * not known.
   */
  private linesIn(text: string, value: unknown): readonly number[] {
    const lines = text.split('\n');
    const first = Math.max(
      0,
      lines.findIndex((line) => /^(?!---\s*(#|$))\s*[^\s#]/.test(line)),
    );
    const count = itemsAt(value, 'items').length;
    if (count === 0) {
      return [first];
    }
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
