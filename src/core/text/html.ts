import { createHash } from 'crypto';
import { plainText } from './plain-text';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A value of any origin as text of HTML or SVG, in elements and attributes. */
export function htmlText(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** The parts of a page that loads nothing from elsewhere. */
interface Page {
  readonly title: string;
  readonly style: string;
  readonly script: string;
  readonly body: readonly string[];
}

/**
 * A self-contained page. What names and principals hold is text, and if it were more it could not
 * run or load.
 */
export function htmlPage({ title, style, script, body }: Page): string {
  return `${[
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '${digest(style)}'; script-src '${digest(script)}'; ` +
      "base-uri 'none'; form-action 'none'\">",
    `<title>${htmlText(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    ...body,
    '</main>',
    `<script>${script}</script>`,
    '</body>',
    '</html>',
  ].join('\n')}\n`;
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
