import { Box, BoxFact, Lane, Line, Picture } from './picture';
import { columnsOf } from '../../core/text/screen';
import { compare, grouped } from '../../core/text/values';

/*
 * Lanes from top to bottom are clusters, columns from left to right the order of creation. Libraries
 * of graph layouts have no lanes, or are ten times as large as this package.
 */

/** A rectangle, in pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A box in its place. */
export interface PlacedBox extends Rectangle {
  readonly box: Box;
  readonly noun: string;
  /** The rows of its name. */
  readonly name: readonly string[];
  readonly facts: readonly BoxFact[];
}

export interface PlacedLane extends Rectangle {
  readonly lane: Lane;
  readonly title: string;
  readonly boxes: readonly PlacedBox[];
}

/** A line and its curve. */
export interface PlacedLine extends Line {
  readonly path: string;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly lanes: readonly PlacedLane[];
  readonly lines: readonly PlacedLine[];
}

/** Pixels: of boxes, between them, of rows of text, and around all. */
const WIDTH = 208;
const GAP = { column: 44, row: 12 } as const;
const ROW = { noun: 16, name: 18, fact: 15 } as const;
const PADDING = 12;
const TITLE = 26;
const MARGIN = 8;

/** Pixels of a line that passes below the boxes of its lane, so that it is behind none of them. */
const TRACK = 10;

/** How many characters fit into a row of a box, and how many rows a name has. */
const FITS = { name: 20, fact: 27, title: 100 } as const;
const NAME_ROWS = 2;

/** How many columns those take that nothing depends on, and that depend on nothing. */
const LONELY_COLUMNS = 4;

/** The places of all boxes. The same picture has the same layout. */
export function layoutOf({ lanes, lines }: Picture): Layout {
  const columns = columnsOfBoxes(lanes, lines);
  const count = Math.max(1, ...[...columns.values()].map((column) => column + 1));
  const width = 2 * MARGIN + 2 * PADDING + count * WIDTH + (count - 1) * GAP.column;
  const before = grouped(lines, ({ to }) => to);
  const isLong = ({ from, to }: Line): boolean => columns.get(to)! - columns.get(from)! > 1;
  const passing = new Set(lines.filter(isLong).map(({ from }) => from));
  const places = new Map<Box, PlacedBox>();
  const tracks = new Map<Box, number>();
  const placed: PlacedLane[] = [];
  let top = MARGIN;
  for (const lane of lanes) {
    const boxes = placedBoxes(lane, { columns, before, places, top: top + TITLE });
    let bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + PADDING;
    for (const box of lane.boxes.filter((each) => passing.has(each))) {
      tracks.set(box, bottom);
      bottom += TRACK;
    }
    placed.push({
      lane,
      title: cut(lane.title, Math.min(FITS.title, Math.floor((width - 4 * PADDING) / 8))),
      boxes,
      x: MARGIN,
      y: top,
      width: width - 2 * MARGIN,
      height: bottom - top,
    });
    top = bottom + GAP.row;
  }
  return {
    width,
    height: top - GAP.row + MARGIN,
    lanes: placed,
    lines: pathsOf(lines, places, (line) => (isLong(line) ? tracks.get(line.from) : undefined)),
  };
}

/** The column of each box: after all that it depends on, and close to what needs it. */
function columnsOfBoxes(lanes: readonly Lane[], lines: readonly Line[]): Map<Box, number> {
  const [before, after] = [grouped(lines, ({ to }) => to), grouped(lines, ({ from }) => from)];
  const columns = new Map<Box, number>();
  // lines are in the order of what they lead to
  for (const { from } of lines) {
    columns.set(from, 0);
  }
  for (const [box, own] of before) {
    columns.set(box, Math.max(...own.map(({ from }) => columns.get(from)!)) + 1);
  }
  for (const [box, own] of after) {
    if (!before.has(box)) {
      columns.set(box, Math.min(...own.map(({ to }) => columns.get(to)!)) - 1);
    }
  }
  const last = Math.max(LONELY_COLUMNS - 1, ...columns.values());
  for (const { boxes } of lanes) {
    boxes
      .filter((box) => !columns.has(box))
      .forEach((box, index) => {
        columns.set(box, index % (last + 1));
      });
  }
  return columns;
}

/** What decides where the boxes of a lane are. */
interface Surroundings {
  readonly columns: ReadonlyMap<Box, number>;
  readonly before: ReadonlyMap<Box, readonly Line[]>;
  /** The boxes with a place, to which those of the lane are added. */
  readonly places: Map<Box, PlacedBox>;
  readonly top: number;
}

/** The boxes of a lane, by columns: each as high as what it depends on, if there is room. */
function placedBoxes(
  { boxes }: Lane,
  { columns, before, places, top }: Surroundings,
): readonly PlacedBox[] {
  const byColumn = [...grouped(boxes, (box) => columns.get(box)!)].sort(([a], [b]) => a - b);
  const isLonely = (box: Box): number => (before.has(box) ? 0 : 1);
  return byColumn.flatMap(([column, own]) => {
    const heights = new Map(own.map((box) => [box, heightOfNeeds(box, before, places)]));
    const sorted = [...own].sort(
      (a, b) =>
        isLonely(a) - isLonely(b) ||
        heights.get(a)! - heights.get(b)! ||
        compare(a.noun, b.noun) ||
        compare(a.name, b.name),
    );
    let y = top;
    return sorted.map((box) => {
      const x = MARGIN + PADDING + column * (WIDTH + GAP.column);
      const placed = placedBox(box, x, y);
      places.set(box, placed);
      y += placed.height + GAP.row;
      return placed;
    });
  });
}

function heightOfNeeds(
  box: Box,
  before: ReadonlyMap<Box, readonly Line[]>,
  places: ReadonlyMap<Box, PlacedBox>,
): number {
  const known = (before.get(box) ?? []).flatMap(({ from }) => places.get(from) ?? []);
  return known.reduce((sum, { y }) => sum + y, 0) / Math.max(1, known.length);
}

function placedBox(box: Box, x: number, y: number): PlacedBox {
  const name = rowsOf(box.name);
  const facts = box.facts.map(({ tone, text }) => ({ tone, text: cut(text, FITS.fact) }));
  const height = PADDING + ROW.noun + name.length * ROW.name + facts.length * ROW.fact;
  return { box, noun: cut(box.noun, FITS.fact), name, facts, x, y, width: WIDTH, height };
}

/** A name in at most two rows, broken at its signs where it can be. */
function rowsOf(name: string): string[] {
  if (columnsOf(name) <= FITS.name) {
    return [name];
  }
  const at = name.slice(0, FITS.name).search(/[-./, ][^-./, ]*$/);
  const end = at > 0 ? at + 1 : FITS.name;
  const rest = name.slice(end).trimStart();
  return [cut(name.slice(0, end), FITS.name), cut(rest, FITS.name)].slice(0, NAME_ROWS);
}

/** The beginning of a text that fits. */
function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) {
    return text;
  }
  const characters = [...text];
  let used = 1;
  const end = characters.findIndex((character) => (used += columnsOf(character)) > columns);
  return `${characters.slice(0, end).join('').trimEnd()}…`;
}

/**
 * The curves from the right sides of boxes to the left sides of others, whose ends are apart.
 *
 * @param trackOf how high a line is on its way, if there are boxes between its ends
 */
function pathsOf(
  lines: readonly Line[],
  places: ReadonlyMap<Box, PlacedBox>,
  trackOf: (line: Line) => number | undefined,
): PlacedLine[] {
  const [starts, ends] = [endsOf(lines, places, 'from', 'to'), endsOf(lines, places, 'to', 'from')];
  return lines.map((line) => {
    const { x, width } = places.get(line.from)!;
    const [x1, y1] = [x + width, starts.get(line)!];
    const [x2, y2] = [places.get(line.to)!.x, ends.get(line)!];
    const track = trackOf(line);
    const [first, last] = [x1 + GAP.column, x2 - GAP.column];
    const way =
      track === undefined
        ? curve(x1, y1, x2, y2)
        : `${curve(x1, y1, first, track)}H${last}${curve(last, track, x2, y2)}`;
    return { ...line, path: `M${x1} ${y1}${way}` };
  });
}

/** A curve that begins and ends level. */
function curve(x1: number, y1: number, x2: number, y2: number): string {
  const middle = (x1 + x2) / 2;
  return `C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

/** How high the lines of each box begin or end: in the order of their other ends. */
function endsOf(
  lines: readonly Line[],
  places: ReadonlyMap<Box, PlacedBox>,
  at: 'from' | 'to',
  other: 'from' | 'to',
): ReadonlyMap<Line, number> {
  return new Map(
    [...grouped(lines, (line) => line[at])].flatMap(([box, own]) => {
      const { y, height } = places.get(box)!;
      return own
        .map((line) => ({ line, place: places.get(line[other])! }))
        .sort((a, b) => a.place.y - b.place.y || a.place.x - b.place.x)
        .map(({ line }, index): [Line, number] => [
          line,
          Math.round(y + (height * (index + 1)) / (own.length + 1)),
        ]);
    }),
  );
}
