import { existsSync, readFileSync } from 'fs';
import { join } from 'path';
import { isRecord } from '../../core/manifest/manifest';
import { previousEntries } from '../../core/output/output';

/** An object as an earlier synthesis wrote it. */
export interface PreviousText {
  /** The text of its file, or its template as JSON. */
  readonly text: string;
  readonly digest?: string;
  /** Of the values of a SealedSecret, by key. */
  readonly digests?: { readonly [key: string]: string };
}

/** The objects that an earlier synthesis wrote to files of their own, or as templates, by ID. */
export function previousTexts(outdir: string, ownFiles: ReadonlySet<string>): ReadonlyMap<string, PreviousText> {
  const texts = new Map<string, PreviousText>();
  for (const { id, file, template, digest, digests } of previousEntries(outdir)) {
    if (typeof id !== 'string') { continue; }
    const text = isRecord(template) ? JSON.stringify(template) : textOf(outdir, file, ownFiles);
    if (text === undefined) { continue; }
    const known = isRecord(digests) ? { digests: digests as { readonly [key: string]: string } } : {};
    texts.set(id, { text, ...(typeof digest === 'string' ? { digest } : {}), ...known });
  }
  return texts;
}

function textOf(outdir: string, file: unknown, ownFiles: ReadonlySet<string>): string | undefined {
  if (typeof file !== 'string' || !ownFiles.has(file)) { return undefined; }
  const path = join(outdir, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
