import { Box, Lane, Picture } from './picture';
import { plainText } from '../../core/text/plain-text';

/** The classes of boxes, in colors that are readable on light and dark pages. */
const CLASSES = {
  late: 'stroke:#b8860b,stroke-width:2px',
  problem: 'stroke:#d5393e,stroke-width:3px',
  added: 'stroke:#299764,stroke-width:3px',
  changed: 'stroke:#b8860b,stroke-width:3px',
  removed: 'stroke:#d5393e,stroke-width:3px',
  around: 'stroke-dasharray:4 3',
} as const;

/** A text of a label: no sign of it is one of Mermaid, Markdown, or HTML. */
function labelText(text: string): string {
  return plainText(text).replace(
    /[^\p{L}\p{N} .,:()/+-]/gu,
    (character) => `#${character.codePointAt(0)!};`,
  );
}

/** A picture as a flowchart of Mermaid, which Git servers draw. */
export function mermaidOf({ lanes, lines }: Picture): string {
  const boxes = lanes.flatMap((lane) => lane.boxes);
  const names = new Map(boxes.map((box, index) => [box, `b${index}`]));
  const classed = Object.entries(CLASSES)
    .map(([name, style]) => ({ name, style, own: boxes.filter((box) => isOf(box, name)) }))
    .filter(({ own }) => own.length > 0);
  return [
    'flowchart LR',
    ...lanes.flatMap((lane, index) => laneLines(lane, `c${index}`, names)),
    ...lines.map(({ from, to }) => `  ${names.get(from)!} --> ${names.get(to)!}`),
    ...classed.map(({ name, style }) => `  classDef ${name} ${style}`),
    ...classed.map(
      ({ name, own }) => `  class ${own.map((box) => names.get(box)!).join(',')} ${name}`,
    ),
  ].join('\n');
}

/** Whether a box is of a class. */
function isOf(box: Box, name: string): boolean {
  return name === 'around' ? box.isAround : box.tone === name;
}

function laneLines(
  { title, boxes }: Lane,
  id: string,
  names: ReadonlyMap<Box, string>,
): readonly string[] {
  return [
    `  subgraph ${id}["${labelText(title)}"]`,
    ...boxes.map((box) => `    ${names.get(box)!}["${labelOf(box)}"]`),
    '  end',
  ];
}

function labelOf({ noun, name, facts }: Box): string {
  return [noun, name, ...facts.map(({ text }) => text)].map(labelText).join('<br>');
}
