/** What an SVG takes from the page's styles, which an image of it does not have. */
const INHERITED = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "visibility",
  "display",
];
const MARGIN = 16;
const TITLE_PX = 15;
const TEXT_PX = 12;
const LINE = 20;
const SWATCH = 10;
/** Pixels of the image for one of the page, so that it is sharp in a document. */
const SCALE = 2;

type Entry = { label: string; color: string };
export type Picture = { svg: SVGSVGElement; title: string; subtitle: string; legend: readonly Entry[] };

/** Draws a chart as it looks on the page, with its title and legend, as a PNG. */
export async function pngOf({ svg, title, subtitle, legend }: Picture): Promise<Blob> {
  const { width, height } = svg.getBoundingClientRect();
  const image = await loaded(withStyles(svg, width, height));
  const page = getComputedStyle(svg.ownerDocument.body);
  const canvas = svg.ownerDocument.createElement("canvas");
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser draws no images.");
  context.font = `${TEXT_PX}px ${page.fontFamily}`;
  const entries = inLines(legend, width, (text) => context.measureText(text).width);
  const top = MARGIN + TITLE_PX + LINE + MARGIN / 2;
  const lines = 1 + Math.max(-1, ...entries.map(({ line }) => line));
  canvas.width = (width + 2 * MARGIN) * SCALE;
  canvas.height = (top + height + lines * LINE + 2 * MARGIN) * SCALE;
  context.scale(SCALE, SCALE);
  context.fillStyle = page.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = page.color;
  context.font = `600 ${TITLE_PX}px ${page.fontFamily}`;
  context.fillText(title, MARGIN, MARGIN + TITLE_PX, width);
  context.font = `${TEXT_PX}px ${page.fontFamily}`;
  context.fillText(subtitle, MARGIN, MARGIN + TITLE_PX + LINE, width);
  context.drawImage(image, MARGIN, top, width, height);
  for (const { label, color, x, line } of entries) {
    const y = top + height + MARGIN + line * LINE;
    context.fillStyle = color;
    context.fillRect(MARGIN + x, y, SWATCH, SWATCH);
    context.fillStyle = page.color;
    context.fillText(label, MARGIN + x + SWATCH + 6, y + SWATCH);
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The image could not be drawn."))), "image/png");
  });
}

/** Returns a copy of an SVG that needs no style sheet, as a document. */
function withStyles(svg: SVGSVGElement, width: number, height: number): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  for (const [index, original] of [svg, ...svg.querySelectorAll<SVGElement>("*")].entries()) {
    const styles = getComputedStyle(original);
    copies[index]?.setAttribute("style", INHERITED.map((name) => `${name}:${styles.getPropertyValue(name)}`).join(";"));
  }
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  return new XMLSerializer().serializeToString(copy);
}

/** `decode` waits until the image can be drawn. */
async function loaded(document: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(document)}`;
  await image.decode();
  return image;
}

/** Places the entries of a legend beside each other, in as many lines as they need. */
export function inLines(legend: readonly Entry[], width: number, widthOf: (text: string) => number) {
  let [x, line] = [0, 0];
  return legend.map((entry) => {
    const needs = SWATCH + 6 + widthOf(entry.label) + MARGIN;
    if (x > 0 && x + needs > width) [x, line] = [0, line + 1];
    const placed = { ...entry, x, line };
    x += needs;
    return placed;
  });
}
