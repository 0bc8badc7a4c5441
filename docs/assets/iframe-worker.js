// Browsers start no worker for a page that is opened as a file. The search of this site is one that only receives and sends
// messages, so a hidden frame can do its work.
if (location.protocol === 'file:') {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement('iframe');
      frame.hidden = true;
      document.documentElement.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent('message', { data }));
      this.loaded = new Promise((done) => {
        const script = frame.contentDocument.createElement('script');
        script.src = new URL(address, location.href);
        script.onload = () => done(inside);
        frame.contentDocument.body.append(script);
      });
    }

    postMessage(data) {
      this.loaded.then((inside) => inside.dispatchEvent(new inside.MessageEvent('message', { data })));
    }
  };
}
