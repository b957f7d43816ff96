import { AddressTable, BalancerRow, PoolRow } from './address-table';

/** How `addresses` prints. */
export const ADDRESS_FORMATS = ['text', 'json', 'markdown'] as const;
export type AddressFormat = typeof ADDRESS_FORMATS[number];

type Column<Row> = readonly [title: string, cell: (row: Row) => string];

const POOL_COLUMNS: readonly Column<PoolRow>[] = [
  ['HARVESTER', ({ harvester }) => harvester],
  ['POOL', ({ pool }) => pool],
  ['NETWORK', ({ network }) => network || '-'],
  ['RANGES', ({ ranges }) => ranges.join(' ') || '-'],
  ['SIZE', ({ size }) => size ?? '?'],
  ['FREE', ({ free }) => free ?? '?'],
];

const BALANCER_COLUMNS: readonly Column<BalancerRow>[] = [
  ['TARGET', ({ target }) => target],
  ['LOAD BALANCER', ({ balancer }) => balancer],
  ['PORTS', ({ ports }) => ports.join(' ') || '-'],
  ['MODE', ({ mode }) => mode],
  ['POOL', ({ pool }) => pool ?? '-'],
  ['ADDRESS', ({ address }) => address ?? '-'],
  ['WHY', ({ reason }) => reason],
];

/** A table of addresses as text. */
export function printAddresses(table: AddressTable, format: AddressFormat): string {
  if (format === 'json') { return JSON.stringify(table, undefined, 2); }
  const draw = format === 'markdown' ? markdown : plain;
  return [
    table.pools.length > 0 ? draw(POOL_COLUMNS, table.pools) : 'no IP pools',
    table.balancers.length > 0 ? draw(BALANCER_COLUMNS, table.balancers) : 'no load balancers',
  ].join('\n\n');
}

function plain<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => cells[index].length)));
  return lines.map((cells) => cells.map((cell, index) => cell.padEnd(widths[index])).join('  ').trimEnd()).join('\n');
}

function markdown<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |`;
  const title = (text: string) => `${text[0]}${text.slice(1).toLowerCase()}`;
  const head = [columns.map(([text]) => title(text)), columns.map(() => '---')];
  return [...head, ...rows.map((row) => columns.map(([, cell]) => cell(row)))].map(line).join('\n');
}
