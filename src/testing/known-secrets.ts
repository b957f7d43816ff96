import { isRecord, annotationsOf, objectId } from '../core/manifest/manifest';
import { ANNOTATION_PLACEHOLDER } from '../core/manifest/names';
import { placeholderOf } from '../core/program/secrets';
import { JudgedObject } from '../core/rule/rule';
import { escapeRegExp } from '../core/text/values';

/** How the annotation of an object separates the sources of its secrets. */
const SEPARATOR = ', ';

/**
 * Objects with placeholders, with the secrets of a previous output in place of these where
 * everything around them is the same: a program that is tested has no secrets, which is not an
 * edit.
 */
export function withKnownSecrets(
  objects: readonly JudgedObject[],
  before: readonly JudgedObject[],
): JudgedObject[] {
  const previous = new Map(
    before.map((object) => [objectId(object.target.name, object.manifest), object]),
  );
  return objects.map((object) => {
    const { manifest, target } = object;
    const sources = annotationsOf(manifest)[ANNOTATION_PLACEHOLDER];
    const known = previous.get(objectId(target.name, manifest));
    if (typeof sources !== 'string' || !known) {
      return object;
    }
    const placeholders = sources.split(SEPARATOR).map(placeholderOf).sort(longestFirst);
    return {
      ...object,
      manifest: withTexts(
        manifest,
        known.manifest,
        new RegExp(placeholders.map(escapeRegExp).join('|')),
      ),
    };
  });
}

// one name may begin with another
const longestFirst = (a: string, b: string): number => b.length - a.length;

function withTexts<T>(value: T, known: unknown, placeholder: RegExp): T {
  if (typeof value === 'string') {
    return (typeof known === 'string' && isSameBut(value, known, placeholder) ? known : value) as T;
  }
  if (Array.isArray(value)) {
    const others: readonly unknown[] = Array.isArray(known) ? known : [];
    return value.map((item: unknown, index) => withTexts(item, others[index], placeholder)) as T;
  }
  if (!isRecord(value) || !isRecord(known)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withTexts(item, known[key], placeholder)]),
  ) as T;
}

/** Whether a text with placeholders is another one except for the secrets in their places. */
function isSameBut(text: string, known: string, placeholder: RegExp): boolean {
  if (!placeholder.test(text)) {
    const [inner, other] = [text, known].map((each) =>
      Buffer.from(each, 'base64').toString('utf8'),
    );
    return placeholder.test(inner) && isSameBut(inner, other, placeholder);
  }
  if (text.replace(placeholder, '') === '') {
    return known !== '';
  }
  let pattern = '';
  let rest = text;
  for (let found = placeholder.exec(rest); found; found = placeholder.exec(rest)) {
    const before = rest.slice(0, found.index);
    pattern +=
      escapeRegExp(before) + secretPattern(text.slice(0, text.length - rest.length) + before);
    rest = rest.slice(found.index + found[0].length);
  }
  return new RegExp(`^${pattern}${escapeRegExp(rest)}$`).test(known);
}

/**
 * What a secret can be after a text: a value in quotes ends with the quote, any other one with its
 * line, unless lines with a deeper indent follow.
 */
function secretPattern(before: string): string {
  if (before.endsWith('"')) {
    return '(?:[^"\\\\\\n]|\\\\.)+';
  }
  const [indent] = /^[ -]*/.exec(before.slice(before.lastIndexOf('\n') + 1))!;
  return `[^\\n]+(?:\\n {${indent.length + 1},}[^\\n]*|\\n(?=\\n))*`;
}
