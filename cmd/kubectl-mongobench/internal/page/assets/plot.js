// What a chart's place on the page does: it draws when it is told to, tells what is under the cursor, and heeds the
// keyboard; and what lies below the lines of one. chart.js is the only user of what it adds to window.mongobench.
(() => {
  'use strict';
  const mongobench = window.mongobench;
  const { el } = mongobench;

  // The chart that the reader points at, or has chosen by keyboard: the others show the same cursor, without words.
  let active = null;

  function moved(chart, host, event) {
    const data = chart.data[0];
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || !data.length) return false;
    const [first, last] = [chart.valToIdx(chart.scales.x.min), chart.valToIdx(chart.scales.x.max)];
    const from = chart.cursor.idx ?? first;
    const at = Math.min(last, Math.max(first, from + steps[event.key] * (event.shiftKey ? 10 : 1)));
    active = host;
    chart.setCursor({ left: chart.valToPos(data[at], 'x'), top: chart.over.clientHeight / 2 }, true, true);
    return true;
  }

  function zoomed(axis, event) {
    if (!axis) return false;
    if (event.key === '+' || event.key === '=') axis.zoom(0.5);
    else if (event.key === '-') axis.zoom(2);
    else if (event.key === '0' || event.key === 'Escape') axis.reset();
    else return false;
    return true;
  }

  function bindPlot(host, tip, options, { make, said }) {
    let chart = null;
    host.draw = () => {
      if (chart || !host.isConnected) return;
      chart = make();
      options.axis?.charts.add(chart);
      options.legend.hosts.add(host);
      chart.over.addEventListener('mouseenter', () => { active = host; });
      chart.over.addEventListener('mouseleave', () => { tip.replaceChildren(); });
    };
    host.free = () => {
      if (!chart) return;
      options.axis?.charts.delete(chart);
      options.legend.hosts.delete(host);
      chart.destroy();
      chart = null;
    };
    host.redraw = () => {
      if (!chart && !mongobench.printing) return;
      host.free();
      host.draw();
    };
    host.fit = () => {
      const width = host.clientWidth;
      if (chart && width && Math.abs(width - chart.width) > 1) chart.setSize({ width, height: options.height });
    };
    host.visible = () => {
      if (!chart) return;
      options.lines.forEach((line, i) => {
        const show = !options.legend.hidden.has(line.label);
        if (chart.series[i + 1].show !== show) chart.setSeries(i + 1, { show });
      });
    };
    host.tell = (u) => {
      const { left } = u.cursor;
      if (active !== host || left === null || left === undefined || left < 0) {
        tip.replaceChildren();
        return;
      }
      const rows = said(u, u.posToVal(left, 'x'));
      tip.replaceChildren(...rows.map(([label, value, line]) => {
        const swatch = line && el('span', { class: 'dot', 'aria-hidden': 'true' });
        if (swatch) swatch.style.background = mongobench.variableOf(line.colour || 0);
        return el('div', { class: value === null ? 'head' : null },
          swatch, el('span', { text: label }), value !== null && el('b', { text: value }));
      }));
      const at = left + u.bbox.left / (u.pxRatio || devicePixelRatio || 1);
      tip.style.left = (at > host.clientWidth / 2 ? at - tip.offsetWidth - 14 : at + 14) + 'px';
    };
    host.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (!chart) host.draw();
      if (moved(chart, host, event) || zoomed(options.axis, event)) event.preventDefault();
    });
    host.addEventListener('blur', () => {
      if (active === host) tip.replaceChildren();
    });
  }

  // fillBand fills what lies between the second line and the third, which have the same x.
  function fillBand({ ctx, valToPos }, [, low, high], colour) {
    ctx.beginPath();
    low.x.forEach((x, i) => ctx.lineTo(valToPos(x, 'x', true), valToPos(low.y[i], 'y', true)));
    for (let i = high.x.length - 1; i >= 0; i--) ctx.lineTo(valToPos(high.x[i], 'x', true), valToPos(high.y[i], 'y', true));
    ctx.closePath();
    ctx.globalAlpha = 0.16;
    ctx.fillStyle = colour;
    ctx.fill();
    ctx.globalAlpha = 1;
  }

  // paintLevels draws the band of a chart, and the values that others are seen against.
  function paintLevels(chart, { band, levels, lines }) {
    const { ctx, bbox, pxRatio } = chart;
    const ratio = pxRatio || devicePixelRatio || 1;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    if (band) fillBand(chart, lines, mongobench.colourOf(lines[0].colour));
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = 'bottom';
    ctx.textAlign = 'right';
    for (const { at, label, dashed } of levels || []) {
      const y = Math.round(chart.valToPos(at, 'y', true));
      ctx.strokeStyle = ctx.fillStyle = mongobench.theme.colour('ink-soft');
      ctx.lineWidth = ratio;
      ctx.setLineDash(dashed ? [6 * ratio, 4 * ratio] : []);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      if (label) ctx.fillText(label, bbox.left + bbox.width - 4 * ratio, y - 2 * ratio);
    }
    ctx.restore();
  }

  Object.assign(mongobench, { bindPlot, paintLevels });
})();
